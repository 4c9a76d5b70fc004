import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { at } from '../schema/at.ts'

/**
 * Query parameters that each way of signing adds; they differ each time a URL of the same file is signed. The first one
 * marks the way: without it the others are kept, because `st` or `policy` may select a file.
 */
const signatures = [
  // Amazon S3 user guide, "Authenticating requests: using query parameters (AWS Signature Version 4)"; the AWS SDKs add
  // the last two to URLs that they sign.
  'x-amz-signature x-amz-algorithm x-amz-credential x-amz-date x-amz-expires x-amz-signedheaders x-amz-security-token ' +
    'x-amz-content-sha256 x-amz-checksum-mode x-id',
  // Google Cloud Storage, "Canonical requests" (V4 signing).
  'x-goog-signature x-goog-algorithm x-goog-credential x-goog-date x-goog-expires x-goog-signedheaders',
  // CloudFront developer guide, "Use signed URLs"; S3 Signature Version 2; Google Cloud Storage V2 signing.
  'signature expires policy key-pair-id hash-algorithm awsaccesskeyid x-amz-security-token googleaccessid',
  // Azure Storage, "Create a service SAS", "Create an account SAS" and "Create a user delegation SAS".
  'sig sv ss srt sr sp st se sip spr si ses sdd skoid sktid skt ske sks skv saoid suoid scid',
].map((names) => names.split(' '))

/**
 * The identity of a published file: its URL without the fragment and the query parameters of a signature, which differ
 * for each download. Other query parameters are kept, because they may select the file.
 */
export function identifyAddress(location: string): string {
  const text = URL.canParse(location) ? new URL(location).href : location.trim()
  const address = at(text.split('#', 1), 0)
  const queryStart = address.indexOf('?')
  if (queryStart < 0) return address
  const parameters = address.slice(queryStart + 1).split('&')
  const names = parameters.map(nameOf)
  const signatureNames = new Set(signatures.filter((signature) => names.includes(at(signature, 0))).flat())
  const selectors = parameters.filter((parameter) => !signatureNames.has(nameOf(parameter)))
  return address.slice(0, queryStart) + (selectors.length === 0 ? '' : `?${selectors.join('&')}`)
}

/** Returns the identity of a file named by its path or its address. Standard input is always `-`. */
export const identifyPath = (path: string): string => (path === '-' || isRemote(path) ? path : pathToFileURL(path).href)

function nameOf(parameter: string): string {
  const name = at(parameter.split('=', 1), 0)
  try {
    return decodeURIComponent(name).toLowerCase()
  } catch {
    return name.toLowerCase()
  }
}

/**
 * Resolves a location in a published file, which may be relative to the address of that file.
 *
 * @param base final address of the file, after redirects; a local path resolves nothing
 */
export function resolveLocation(location: string, base: string): string {
  if (!isRemote(base) || URL.canParse(location)) return location
  return URL.parse(location.trim(), base)?.href ?? location
}

/** Characters of an address, and of a URL with its signature. Source: Amazon CloudFront quotas, length of a URL. */
const longest = { address: 2048, location: 8192 }

/** Finds the fault in a URL that a published file contains; undefined if there is none. */
export function findLocationFault(location: string): string | undefined {
  if (location.length > longest.location) return `must have at most ${longest.location} characters`
  const isLong = identifyAddress(location).length > longest.address
  return isLong ? `must have at most ${longest.address} characters without its signature` : undefined
}

/**
 * Returns the kind of a listed location whose name says that it is no rate file: its ending, or `folder`. Hadoop marks
 * folders of S3 by objects with the ending `_$folder$`.
 *
 * @returns undefined for a rate file, and where the name does not tell
 */
export function otherKindOf(location: string): string | undefined {
  const [path = '', query] = identifyAddress(location.trim()).split(/[?#]/, 2)
  // A query that is no signature may choose the file, so the path says nothing.
  if (query) return undefined
  if (/(?:\/|_(?:\$|%24)folder(?:\$|%24))$/i.test(path)) return 'folder'
  return /\.(csv|tsv|xlsx?|pdf|docx?)(?:\.gz|\.zip)?$/i.exec(path)?.[1]?.toLowerCase()
}

/** True if a path names a file of a web server. */
export const isRemote = (path: string): boolean => /^https?:\/\//i.test(path)

/** Returns the last segment of an address, without its query string. */
export function lastSegment(address: string): string {
  const path = at(address.split(/[?#]/, 1), 0)
  return (basename(path) || basename(address)).toWellFormed()
}

/** Returns the name of a local file, in which `?`, `#` and `%` mean nothing, or of a file of a web server. */
export const nameOfFile = (path: string): string => (isRemote(path) ? lastSegment(path) : basename(path).toWellFormed())

/** Returns a text for messages, without the query strings of URLs, which may hold signatures. */
export function showAddress(text: string): string {
  return text.replace(urlWithQuery, (_, address: string, mark: string) => (mark === '?' ? `${address}?…` : address))
}

/** A URL whose query is not replaced by `…` yet. A comma or bracket ends a URL only before white space. */
const urlWithQuery = /(\bhttps?:\/\/[^\s?#"]*)([?#])(?!…)(?:[^\s",)]|[,)](?=\S))*/gi
