/**
 * Dollars for one of each, in us-east-1, without free tiers and discounts for volume. Source: the AWS pricing page of
 * each service (aws.amazon.com/<service>/pricing), as quoted in 2026; nothing was billed.
 */
export const unitPrices = {
  /** A state transition of a Standard workflow: $25 a million. */
  transition: 0.000025,
  /** A byte that a query reads: $5 a terabyte. */
  byteScanned: 5e-12,
  /** A PUT or LIST request of S3 Standard: $5 a million. */
  s3Write: 0.000005,
  /** A GET or HEAD request of S3 Standard: $0.40 a million. */
  s3Read: 0.0000004,
  /** A gigabyte in S3 Standard for a month. */
  s3GigabyteMonth: 0.023,
  /** A gigabyte sent out of the region. */
  egressGigabyte: 0.09,
  /** A request of a REST API: $3.50 a million. */
  apiRequest: 0.0000035,
  /** A write unit of an on-demand table: $0.625 a million. */
  writeUnit: 0.000000625,
  /** A read unit of an on-demand table: $0.125 a million. */
  readUnit: 0.000000125,
  /** A custom event of EventBridge: $1 a million. */
  event: 0.000001,
  /** An invocation of a function: $0.20 a million. */
  invocation: 0.0000002,
  /** A gigabyte of memory for a second, on Arm. */
  gigabyteSecond: 0.0000133334,
  /** A request to the Glue Data Catalog: $1 a million after the first. */
  glueRequest: 0.000001,
  /** A gigabyte that CloudWatch Logs takes in. */
  logGigabyte: 0.5,
  /** A metric that an alarm reads, for a month. */
  alarmMetric: 0.1,
  /** A dashboard for a month, after the first three. */
  dashboard: 3,
  /** A metric of our own for a month, billed by the hours in which it has data. */
  metric: 0.3,
  /** A KMS key for a month. */
  key: 1,
  /** A request to KMS: $3 a million. */
  keyRequest: 0.000003,
  /** A hosted zone of Route 53 for a month. */
  hostedZone: 0.5,
  /** A gigabyte in a table for a month. */
  tableGigabyteMonth: 0.25,
  /** A gigabyte of a table with point-in-time recovery for a month. */
  recoveryGigabyteMonth: 0.2,
} as const

/** Bytes that Athena bills for a query at least. Source: Amazon Athena pricing. */
export const minBytesScanned = 10_000_000
