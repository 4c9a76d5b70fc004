import { PrintableError } from '../../../schema/printable-error.ts'

/** @throws PrintableError unless it is the location of a warehouse */
export function parseLocation(location: string) {
  const [, bucket, root] = /^s3:\/\/([^/]+)\/((?:[^/]+\/)*)$/.exec(location) ?? []
  if (bucket === undefined || root === undefined)
    throw new PrintableError(`not the location of a warehouse (s3://bucket/ or s3://bucket/prefix/): ${location}`)
  return { Bucket: bucket, root }
}
