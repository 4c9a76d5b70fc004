/** A key of a bucket, or a prefix where it ends in `/`. */
export interface S3Address {
  readonly bucket: string
  /** Without a slash at the start. */
  readonly key: string
}

/** Reads `s3://bucket/key`; undefined where the text is no such address. */
export function parseS3Address(text: string): S3Address | undefined {
  const [, bucket, key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(text) ?? []
  return bucket === undefined ? undefined : { bucket, key }
}

/** Writes `s3://bucket/key`. */
export function showS3Address({ bucket, key }: S3Address): string {
  return `s3://${bucket}/${key}`
}
