import { LoadRefused } from '../load-refused.ts'
import { HostSlots } from '../slots.ts'
import { FileRequests, type RequestDeps } from './file-requests.ts'
import { HttpClient } from './http-client.ts'
import { defaultConnections, type HttpSettings } from './http-settings.ts'
import { RemoteBody } from './remote-body.ts'
import { type RemoteFacts, readFacts } from './remote-facts.ts'
import type { SignedLocations } from './signed-locations.ts'

/**
 * Fetches published files from web servers as streams, which resume after a cut and use fresh URLs when signatures
 * expire. Files are named by their addresses, which are URLs without signatures.
 */
export class RemoteFiles implements AsyncDisposable {
  readonly settings: HttpSettings
  readonly locations: SignedLocations
  /** Limits the number of files fetched from a host at the same time. A caller takes a slot before it reads a file. */
  readonly hosts: HostSlots
  readonly #deps: RequestDeps

  constructor(settings: HttpSettings, deps: Omit<RequestDeps, 'client'>) {
    this.settings = settings
    this.locations = deps.locations
    this.hosts = new HostSlots(settings.connections ?? defaultConnections)
    this.#deps = { ...deps, client: new HttpClient(settings) }
  }

  /**
   * Asks for a file's size and entity tag with a GET of one byte: a HEAD would be denied where only GET is signed.
   *
   * @throws LoadRefused if the file cannot be fetched
   */
  async probe(address: string, signal?: AbortSignal): Promise<RemoteFacts> {
    using answer = await new FileRequests(address, this.#deps, signal).ask({ range: 'bytes=0-0' })
    // Reading the answer to its end makes its connection usable again.
    if (answer.status !== 200) await answer.body.next().catch(() => undefined)
    return readFacts(answer)
  }

  /** Starts to fetch a file. @throws LoadRefused if the file cannot be fetched */
  async open(address: string, signal?: AbortSignal): Promise<RemoteBody> {
    const requests = new FileRequests(address, this.#deps, signal)
    const first = await requests.ask({})
    if (first.status === 200) return new RemoteBody(requests, first)
    first[Symbol.dispose]()
    throw new LoadRefused(address, 'is answered with a part of it')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.client[Symbol.asyncDispose]()
  }
}
