import type { Clock } from '../../core/time.ts'
import { identifyAddress } from '../file-address.ts'
import { readExpiry } from './signature-expiry.ts'

/** Clocks of servers may be ahead of ours by this many milliseconds. */
const clockMargin = 300_000

/** A signature that does not say when it expires is valid for at least this many milliseconds after it was listed. */
const shortestLife = 600_000

interface Known {
  readonly location: string
  readonly learnedAt: number
}

/** How URLs are found again. */
interface Relisting {
  /** Whether another URL of this address can be found. */
  lists(address: string): boolean
  /** Learns the URLs of all listed files again. */
  relist(): Promise<void>
}

/**
 * Where files can be fetched from now: their signed URLs. When one has expired, all files are listed again: once, however
 * many requests wait for it.
 */
export class SignedLocations {
  readonly #known = new Map<string, Known>()
  readonly #now: Clock
  #list: Relisting | undefined
  #listing: Promise<void> | undefined

  constructor(now: Clock) {
    this.#now = now
  }

  relistBy(relisting: Relisting): void {
    this.#list = relisting
  }

  /**
   * Remembers a URL, which may be signed, and returns the file's address: the URL without its signature.
   *
   * @param at when the URL was listed @default - now
   */
  learn(location: string, at = this.#now()): string {
    const { address, url } = readLocation(location)
    // Other files refer to this one by its address.
    if (address !== url || !this.#known.has(address)) {
      this.#known.set(address, { location: url, learnedAt: at.getTime() })
    }
    return address
  }

  /** The latest URL of an address. */
  current(address: string): string {
    return this.#known.get(address)?.location ?? address
  }

  /**
   * Finds another URL for an address whose URL was denied.
   *
   * @returns undefined if the denied URL cannot have expired, or there is no other
   */
  async renew(address: string, denied: string): Promise<string | undefined> {
    const known = this.#known.get(address)
    if (known === undefined) return undefined
    if (known.location !== denied) return known.location
    if (this.#list?.lists(address) !== true) return undefined
    if (!this.#mayHaveExpired(address, known)) return undefined
    this.#listing ??= this.#list.relist().finally(() => {
      this.#listing = undefined
    })
    await this.#listing
    const current = this.current(address)
    return current === denied ? undefined : current
  }

  /** Many files are denied for other reasons: only the signature's own expiry is worth a listing of all. */
  #mayHaveExpired(address: string, { location, learnedAt }: Known): boolean {
    if (location === address) return false
    const now = this.#now().getTime()
    const expiry = readExpiry(location)?.getTime()
    // One that had expired before it was listed will be listed like that again.
    return expiry === undefined ? now - learnedAt >= shortestLife : learnedAt < expiry && now > expiry - clockMargin
  }
}

/** The address of a URL, and the URL in the form of addresses; they differ if it is signed. */
export function readLocation(location: string): { readonly address: string; readonly url: string } {
  const url = URL.parse(location)
  if (url !== null) url.hash = ''
  return { address: identifyAddress(location), url: url?.href ?? location }
}
