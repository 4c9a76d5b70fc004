/** The form of dates in AWS and Google signatures: `20261122T061500Z`. */
const basicDate = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

/**
 * Reads the expiry of a signed URL; undefined if the URL does not state it. Source: Amazon S3 user guide,
 * "Authenticating requests: using query parameters"; CloudFront developer guide, "Use signed URLs"; Google Cloud
 * Storage, "Signed URLs"; Azure Storage, "Create a service SAS".
 */
export function readExpiry(location: string): Date | undefined {
  const parameters = new Map<string, string>()
  for (const [name, value] of URL.parse(location)?.searchParams ?? []) parameters.set(name.toLowerCase(), value)
  const vendorExpiries = ['amz', 'goog'].map((vendor) =>
    addSeconds(parameters.get(`x-${vendor}-date`), parameters.get(`x-${vendor}-expires`)),
  )
  const times = [
    ...vendorExpiries,
    readSeconds(parameters.get('expires')),
    readPolicy(parameters.get('policy')),
    parameters.has('sig') ? Date.parse(parameters.get('se') ?? '') : Number.NaN,
  ].filter((time) => Number.isFinite(time))
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}

function addSeconds(date = '', seconds = ''): number {
  return Date.parse(date.replace(basicDate, '$1-$2-$3T$4:$5:$6Z')) + readSeconds(seconds)
}

const readSeconds = (text = '') => (/^\d{1,11}$/.test(text) ? Number(text) * 1000 : Number.NaN)

/** Reads a custom policy of CloudFront: JSON in base64 with `-`, `_` and `~`. Node decodes the first one itself. */
function readPolicy(policy = ''): number {
  const text = Buffer.from(policy.replaceAll('_', '=').replaceAll('~', '/'), 'base64').toString()
  return readSeconds(/"DateLessThan"\s*:\s*\{\s*"AWS:EpochTime"\s*:\s*(\d+)/.exec(text)?.[1])
}
