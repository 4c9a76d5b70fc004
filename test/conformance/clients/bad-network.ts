import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Parts of an answer that the network reads. */
interface PassedBody {
  readonly job_id?: string
  readonly download_urls?: readonly string[]
  readonly shards?: readonly { readonly url: string }[]
}

/** Treatment of one request by the network. */
export type Trouble = 'refuse' | 'lose the answer' | 'expire' | { readonly cutAfter: number } | undefined

/** A GET of a result's file. */
export interface FileGet {
  /** The file's name in the client's folder. */
  readonly name: string
  /** The first requested byte. */
  readonly start: number
  sent: number
}

export interface BadNetwork extends AsyncDisposable {
  /** Replaces the service's address. */
  readonly baseUrl: string
  /** Ids of the jobs in answers to POST, including lost answers. */
  readonly created: Set<string>
  readonly gets: FileGet[]
}

/** The faults of requests, and callbacks for file transfers. */
export interface Troubles {
  readonly ofCall: () => Trouble
  readonly ofFile: () => Trouble
  /** Before a file is sent. */
  readonly onGet: (get: FileGet) => Promise<void>
  /** After each piece of a file. */
  readonly onSent: (bytes: number) => void
}

/**
 * Opens a proxy between a client and a service that breaks calls and file transfers. URLs of files lead through it as
 * well; it requests them under the storage's own host name, because that is signed.
 */
export async function openBadNetwork(serviceUrl: string, troubles: Troubles): Promise<BadNetwork> {
  const created = new Set<string>()
  const gets: FileGet[] = []
  const urls: string[] = []
  const server = createServer((request, response) => {
    const file = /^\/file\/(\d+)\/(.+)$/.exec(request.url ?? '')
    const passing =
      file === null ? passCall(request, response) : passFile(Number(file[1]), file[2] ?? '', request, response)
    passing.catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`

  async function passCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const trouble = troubles.ofCall()
    if (trouble === 'refuse') throw new Error('refused')
    const pieces: Uint8Array[] = []
    for await (const piece of request) pieces.push(piece)
    const { authorization = '', 'content-type': type, 'idempotency-key': key } = request.headers
    const headers = new Headers({ authorization })
    if (type !== undefined) headers.set('content-type', type)
    if (typeof key === 'string') headers.set('idempotency-key', key)
    const answer = await fetch(`${serviceUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(request.method === 'POST' && { body: Buffer.concat(pieces) }),
    })
    const body: PassedBody = JSON.parse(await answer.text())
    if (request.method === 'POST' && answer.ok && body.job_id !== undefined) created.add(body.job_id)
    if (trouble === 'lose the answer') throw new Error('lost')
    response.writeHead(answer.status, { 'Content-Type': 'application/json', 'Retry-After': '1' })
    response.end(JSON.stringify(leadThrough(body)))
  }

  /** The answer with URLs of this network. */
  const leadThrough = ({ download_urls, shards, ...body }: PassedBody): PassedBody => {
    const lead = (url: string, index: number) => {
      urls.push(url)
      return `${baseUrl}/file/${urls.length - 1}/${body.job_id}-${String(index + 1).padStart(4, '0')}.parquet`
    }
    return {
      ...body,
      ...(download_urls && { download_urls: download_urls.map(lead) }),
      ...(shards && { shards: shards.map((shard, index) => ({ ...shard, url: lead(shard.url, index) })) }),
    }
  }

  async function passFile(index: number, name: string, request: IncomingMessage, response: ServerResponse) {
    const { range, 'if-match': condition } = request.headers
    const get: FileGet = { name, start: Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0), sent: 0 }
    await troubles.onGet(get)
    const trouble = troubles.ofFile()
    if (trouble === 'refuse') throw new Error('refused')
    if (trouble === 'expire') {
      response.writeHead(403).end()
      return
    }
    gets.push(get)
    const headers = new Headers()
    if (range !== undefined) headers.set('range', range)
    if (condition !== undefined) headers.set('if-match', condition)
    const answer = await fetch(urls[index] ?? '', { headers })
    const body = new Uint8Array(await answer.arrayBuffer())
    const passedHeaders = ['etag', 'content-range', 'content-length'].flatMap((header) => {
      const value = answer.headers.get(header)
      return value === null ? [] : [[header, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(passedHeaders))
    const end = typeof trouble === 'object' ? Math.min(trouble.cutAfter, body.length) : body.length
    for (let start = 0; start < end; start += pieceBytes) {
      const piece = body.subarray(start, Math.min(end, start + pieceBytes))
      await new Promise<void>((resolve, reject) => {
        response.write(piece, (error) => (error ? reject(error) : resolve()))
      })
      get.sent += piece.length
      troubles.onSent(piece.length)
      await nextTurn()
    }
    if (end < body.length) response.socket?.end()
    else response.end()
  }

  return {
    baseUrl,
    created,
    gets,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const pieceBytes = 1000
