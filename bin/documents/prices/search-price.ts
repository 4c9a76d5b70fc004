import { minBytesScanned, unitPrices } from './unit-prices.ts'

/**
 * The price of a search: one POST, five polls, a query of 1.5 seconds and four files. Its requests were counted on one
 * machine, on an emulator and at a Trino 476 (docs/measured/price-of-a-search.md).
 */

/** State transitions of a search whose query ends within the wait of `start-query`: with two steps, and with one. */
export const transitions = { twoSteps: 5, oneStep: 3 } as const

/** State transitions of one more attempt: a pause, the first step, and the choice after it. */
export const retryTransitions = 3

/** Gigabyte-seconds of `start-query`, which waits 2.4 s for the query with 256 MB. */
const waitedGigabyteSeconds = 2.4 * 0.25

/** The parts of a search's price that do not depend on its plan, except the transitions. */
export const fixedParts: readonly { readonly service: string; readonly work: string; readonly dollars: number }[] = [
  {
    service: 'S3',
    work: '9 writes (3 lists of files, 4 files, manifest, metadata), 17 reads (8 of them of two columns, for `without_rows`)',
    dollars: 9 * unitPrices.s3Write + 17 * unitPrices.s3Read,
  },
  { service: 'API Gateway', work: '6 requests', dollars: 6 * unitPrices.apiRequest },
  {
    service: 'DynamoDB',
    work: '20 write units (request 1, job 7 with its shards, slots of the organization 2, index of unended jobs 8, index of the list 1, and 1 for items over 1 KB), 32 read units (4 per poll)',
    dollars: 20 * unitPrices.writeUnit + 32 * unitPrices.readUnit,
  },
  { service: 'EventBridge', work: '1 event', dollars: unitPrices.event },
  {
    service: 'Lambda',
    work: '8 invocations; 0.2 s of 512 MB, 2.4 s of 256 MB (a poll at 2.3 s finds that the query has ended), 0.1 s of 1 GB',
    dollars: 8 * unitPrices.invocation + (0.2 * 0.5 + waitedGigabyteSeconds + 0.1 * 1) * unitPrices.gigabyteSecond,
  },
  {
    service: 'Glue',
    work: '4 requests for databases and tables, whatever is loaded',
    dollars: 4 * unitPrices.glueRequest,
  },
  {
    service: 'CloudWatch Logs',
    work: '~9 KB: two lines of Lambda and one or two of ours per invocation',
    dollars: 9e-6 * unitPrices.logGigabyte,
  },
]

/** A plan of neighbours in a load, and the requests that a Trino 476 made for one NPI and one code of it. */
export interface PlanOfFiles {
  readonly files: number
  /** LIST requests to S3: five, and two for each thousand places of the load that the plan touches. */
  readonly lists: number
  /** The most requests to Glue for statistics of columns that were counted, which Athena may not make. */
  readonly statistics: number
}

export const plansOfFiles: readonly PlanOfFiles[] = [
  { files: 2, lists: 7, statistics: 5 },
  { files: 84, lists: 7, statistics: 5 },
  { files: 1_000, lists: 9, statistics: 5 },
]

/** GET requests of each search: of its three lists, and of the file of its content. */
const getsOfSearch = 4

/** The requests for one loaded file, as its two Parquet files of prices and provider groups. */
export interface FileSize {
  readonly label: string
  /** GET requests for a file of the plan, both tables together. */
  readonly gets: number
  /** Bytes that they read. */
  readonly bytes: number
}

/** Trino reads the end of a file first, in the hope that it holds the footer. Source: `ParquetReader` of Trino 476. */
const tailBytes = 49_152

/**
 * Below 3 MB, Trino reads a file whole with one GET (`parquet.small-file-threshold`). The sizes are those of a file of
 * 2 MB and one of 102 MB of `npm run bench -- loader`, as the loader writes them.
 */
export const smallFile: FileSize = {
  label: '0.1 MB',
  gets: 2,
  bytes: 96_013 + 49_154,
}

/** Of prices, Trino reads the end, the footer and two row groups of 51; provider groups are below 3 MB. */
export const largeFile: FileSize = {
  label: '5 MB',
  gets: 4 + 1,
  bytes: tailBytes + 114_452 + 202_215 + 2_770_398,
}

/**
 * The same file if Athena does not read files below 3 MB whole. Of provider groups it then reads the end, which holds
 * the footer, and one row group of 43.
 */
export const largeFileInPart: FileSize = {
  label: '5 MB, read in part',
  gets: 4 + 2,
  bytes: tailBytes + 114_452 + 202_215 + tailBytes + 65_134,
}

/** The requests that a plan's files cost, and the bytes that Athena bills. */
export function countRequests({ files, lists }: PlanOfFiles, size: FileSize) {
  return { lists, gets: files * size.gets + getsOfSearch, bytes: files * size.bytes }
}

/** The price of a search, by what it is paid for, in dollars. */
export interface SearchPrice {
  readonly transitions: number
  readonly fixed: number
  readonly athena: number
  /** Athena's own LIST and GET requests. */
  readonly requests: number
  /** Requests that Athena may make in addition: each LIST and GET again, and Glue's statistics of columns. */
  readonly margin: number
}

export function priceSearch(plan: PlanOfFiles, size: FileSize, transitionsMade: number): SearchPrice {
  const { lists, gets, bytes } = countRequests(plan, size)
  const requests = lists * unitPrices.s3Write + gets * unitPrices.s3Read
  return {
    transitions: transitionsMade * unitPrices.transition,
    fixed: fixedParts.reduce((sum, { dollars }) => sum + dollars, 0),
    athena: priceQuery(bytes),
    requests,
    margin: requests + plan.statistics * unitPrices.glueRequest,
  }
}

/** The price of one more attempt at the query, in dollars. Athena also bills what the failed one read. */
export function priceRetry(plan: PlanOfFiles, size: FileSize): number {
  const { transitions: driven, athena, requests } = priceSearch(plan, size, retryTransitions)
  const lists = 3 * unitPrices.s3Write
  return driven + athena + requests + lists + unitPrices.invocation + waitedGigabyteSeconds * unitPrices.gigabyteSecond
}

/** Returns the price without its margin. */
export const sumPrice = ({ transitions, fixed, athena, requests }: SearchPrice): number =>
  transitions + fixed + athena + requests

/** Returns Athena's price of a query that reads a number of bytes. */
export function priceQuery(bytes: number): number {
  return Math.max(bytes, minBytesScanned) * unitPrices.byteScanned
}

/**
 * Bytes of a row in a result, measured with results of 35,000 and 257,000 rows; small ones have some thousand bytes
 * more each.
 */
const rowBytes = 11

/** Days for which a result is kept: `retentionDays` 7, and two until DynamoDB and S3 delete. */
const daysKept = 9

/** The price of keeping a result and of sending it out of the region once, in dollars. */
export function priceRows(rows: number) {
  const gigabytes = (rows * rowBytes) / 1e9
  return {
    keeping: (gigabytes * unitPrices.s3GigabyteMonth * daysKept) / 30,
    egress: gigabytes * unitPrices.egressGigabyte,
  }
}
