import type { Clock } from '../../core/time.ts'
import { identifyAddress } from '../file-address.ts'
import { readExpiry } from './signature-expiry.ts'

/** Milliseconds by which the clock of a server may be ahead of this machine's. */
const clockMargin = 300_000

/** Shortest life of a signature that does not state its expiry, in milliseconds from its listing. */
const shortestLife = 600_000

/** The latest URL of an address. */
interface LearnedLocation {
  readonly location: string
  /** Time of its listing, in milliseconds. */
  readonly learnedAt: number
}

/** Finds fresh URLs by reading the lists of files again. */
interface Relisting {
  /** True if a list has a URL of this address. */
  lists(address: string): boolean
  /** Learns the URLs of all listed files again. */
  relist(): Promise<void>
}

/**
 * The signed URLs under which files can be fetched now. When one has expired, all files are listed again: once for all
 * requests that wait for it.
 */
export class SignedLocations {
  readonly #learned = new Map<string, LearnedLocation>()
  readonly #now: Clock
  #relisting: Relisting | undefined
  #listing: Promise<void> | undefined

  constructor(now: Clock) {
    this.#now = now
  }

  relistBy(relisting: Relisting): void {
    this.#relisting = relisting
  }

  /**
   * Remembers a URL, which may be signed, and returns the file's address: the URL without its signature.
   *
   * @param at time of the listing @default - now
   */
  learn(location: string, at = this.#now()): string {
    const { address, url } = readLocation(location)
    // Other files may refer to this one by its bare address, which must not replace a signed URL.
    if (address !== url || !this.#learned.has(address)) {
      this.#learned.set(address, { location: url, learnedAt: at.getTime() })
    }
    return address
  }

  /** Returns the latest URL of an address; the address itself if none was learned. */
  latestUrl(address: string): string {
    return this.#learned.get(address)?.location ?? address
  }

  /**
   * Finds another URL for an address whose URL was denied.
   *
   * @returns undefined if the denied URL cannot have expired, or there is no other URL
   */
  async renew(address: string, denied: string): Promise<string | undefined> {
    const latest = this.#learned.get(address)
    if (latest === undefined) return undefined
    if (latest.location !== denied) return latest.location
    if (this.#relisting?.lists(address) !== true) return undefined
    if (!this.#mayHaveExpired(address, latest)) return undefined
    this.#listing ??= this.#relisting.relist().finally(() => {
      this.#listing = undefined
    })
    await this.#listing
    const url = this.latestUrl(address)
    return url === denied ? undefined : url
  }

  /** True if the URL is signed and may have expired. It may be denied for another reason, and a listing takes long. */
  #mayHaveExpired(address: string, { location, learnedAt }: LearnedLocation): boolean {
    if (location === address) return false
    const now = this.#now().getTime()
    const expiry = readExpiry(location)?.getTime()
    // A URL that had expired before it was listed would be listed with the same expiry again.
    return expiry === undefined ? now - learnedAt >= shortestLife : learnedAt < expiry && now > expiry - clockMargin
  }
}

/** Returns the address of a URL, and the URL in the form of addresses; they differ if it is signed. */
export function readLocation(location: string): { readonly address: string; readonly url: string } {
  const url = URL.parse(location)
  if (url !== null) url.hash = ''
  return { address: identifyAddress(location), url: url?.href ?? location }
}
