/** An object key, or a prefix if it ends in `/`, in a bucket. */
export interface S3Address {
  readonly bucket: string
  /** No leading slash. */
  readonly key: string
}

/** Parses `s3://bucket/key`; undefined if the text is not such an address. */
export function parseS3Address(text: string): S3Address | undefined {
  const [, bucket, key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(text) ?? []
  return bucket === undefined ? undefined : { bucket, key }
}

/** Formats an address as `s3://bucket/key`. */
export function showS3Address({ bucket, key }: S3Address): string {
  return `s3://${bucket}/${key}`
}
