import { pathToFileURL } from 'node:url'

/** Query parameters that one way of signing adds. They differ each time a URL of the same file is signed. */
interface SignatureScheme {
  /** The parameter that tells the scheme: the others are removed only beside it, since `st` or `policy` may mean a file. */
  readonly marker: string
  readonly parameters: ReadonlySet<string>
}

const signatureSchemes: readonly SignatureScheme[] = [
  // Amazon S3 user guide, "Authenticating requests: using query parameters (AWS Signature Version 4)"; the last two are
  // what the AWS SDKs add to a URL that they sign.
  schemeOf('x-amz-signature', [
    ...['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-expires', 'x-amz-signedheaders'],
    ...['x-amz-security-token', 'x-amz-content-sha256', 'x-amz-checksum-mode', 'x-id'],
  ]),
  // Google Cloud Storage, "Canonical requests" (V4 signing).
  schemeOf('x-goog-signature', [
    ...['x-goog-algorithm', 'x-goog-credential', 'x-goog-date', 'x-goog-expires', 'x-goog-signedheaders'],
  ]),
  // CloudFront developer guide, "Use signed URLs"; S3 Signature Version 2; Google Cloud Storage V2 signing.
  schemeOf('signature', [
    ...['expires', 'policy', 'key-pair-id', 'hash-algorithm'],
    ...['awsaccesskeyid', 'x-amz-security-token', 'googleaccessid'],
  ]),
  // Azure Storage, "Create a service SAS", "Create an account SAS" and "Create a user delegation SAS".
  schemeOf('sig', [
    ...['sv', 'ss', 'srt', 'sr', 'sp', 'st', 'se', 'sip', 'spr', 'si', 'ses', 'sdd'],
    ...['skoid', 'sktid', 'skt', 'ske', 'sks', 'skv', 'saoid', 'suoid', 'scid'],
  ]),
]

function schemeOf(marker: string, parameters: readonly string[]): SignatureScheme {
  return { marker, parameters: new Set([marker, ...parameters]) }
}

/**
 * What makes a published file the same file, whenever it is downloaded: its URL without fragment and without the query
 * parameters of a signature. Other query parameters stay, since they may choose the file.
 */
export function identifyAddress(location: string): string {
  const text = URL.canParse(location) ? new URL(location).href : location.trim()
  const [address = ''] = text.split('#', 1)
  const queryStart = address.indexOf('?')
  if (queryStart < 0) return address
  const parameters = address.slice(queryStart + 1).split('&')
  const names = parameters.map(nameOf)
  const schemes = signatureSchemes.filter(({ marker }) => names.includes(marker))
  const kept = parameters.filter((_, index) => !schemes.some((scheme) => scheme.parameters.has(names[index] ?? '')))
  return address.slice(0, queryStart) + (kept.length === 0 ? '' : `?${kept.join('&')}`)
}

/** The identity of a file that the operator names by its path; standard input is always the same one. */
export const identifyPath = (path: string): string => (path === '-' ? '-' : pathToFileURL(path).href)

function nameOf(parameter: string): string {
  const [name = ''] = parameter.split('=', 1)
  try {
    return decodeURIComponent(name).toLowerCase()
  } catch {
    return name.toLowerCase()
  }
}
