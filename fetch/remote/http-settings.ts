/** Settings of the requests that fetch files. */
export interface HttpSettings {
  readonly userAgent?: string | undefined
  /** Maximum number of files fetched from a host at the same time. */
  readonly connections?: number | undefined
  /** True if files may be fetched from private networks, and by http from this machine. */
  readonly allowPrivateAddresses?: boolean | undefined
  /** The longest time in milliseconds without a byte of an answer. @default 60,000 */
  readonly idleTimeout?: number
}

/** Advice in messages about addresses in a private network. */
export const privateHint = 'use --allow-private-addresses if that is meant'

export const defaultUserAgent = 'rate-search-loader'
export const defaultConnections = 4
