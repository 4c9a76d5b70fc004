import { operations } from '../../../contract/routes.ts'
import { ratesRecoveryDays } from '../../../lib/warehouse/warehouse.ts'
import { sweepMetrics } from '../../../schema/metrics.ts'
import { unitPrices } from './unit-prices.ts'

/** The price of a stage for a month of 30 days in which nobody uses it. */

/** Functions behind the routes: one for each call, the page and the tools of assistants. */
const callFunctions = operations.length + 2

/**
 * Number of metrics that alarms read: errors and throttles of each function behind a route, and 46 others. A test
 * counts them in the template (test/lib/operations/operations.test.ts).
 */
export const alarmMetrics = { everyStage: 2 * callFunctions + 46, loads: 5 } as const

/** Runs of each timer in a month: once a minute. */
const runs = 30 * 24 * 60

/** Times, units and log bytes of a run. Times and log bytes are estimates. */
const timers = {
  /** Reads nine pages of the index of unended jobs, and writes its metrics. */
  sweeper: { seconds: 0.1, gigabytes: 0.5, readUnits: 9, logBytes: 1500 },
  /** Queries for loads to announce. */
  announcer: { seconds: 0.03, gigabytes: 1, readUnits: 1, logBytes: 800 },
  /** Queries for calls of webhooks that are due. */
  webhooks: { seconds: 0.03, gigabytes: 0.25, readUnits: 1, logBytes: 800 },
} as const

type Timer = (typeof timers)[keyof typeof timers]

const priceTimer = ({ seconds, gigabytes, readUnits, logBytes }: Timer) =>
  runs *
  (unitPrices.invocation +
    seconds * gigabytes * unitPrices.gigabyteSecond +
    readUnits * unitPrices.readUnit +
    (logBytes / 1e9) * unitPrices.logGigabyte)

/** A kind of stage, by the settings that cost something while it is idle. */
export interface StageKind {
  readonly label: string
  readonly alarms: boolean
  readonly loads: boolean
  readonly key: boolean
  readonly hostedZone: boolean
}

export const stageKinds: readonly StageKind[] = [
  { label: '`dev`: `alarms` false', alarms: false, loads: false, key: false, hostedZone: false },
  { label: '`prod`', alarms: true, loads: false, key: false, hostedZone: false },
  { label: 'with loads, a key and a hosted zone', alarms: true, loads: true, key: true, hostedZone: true },
]

/** Something that an idle stage pays for. */
export interface IdlePart {
  readonly what: string
  /** Dollars a month. */
  readonly price: (kind: StageKind) => number
}

export const idleParts: readonly IdlePart[] = [
  {
    what: `alarms: ${alarmMetrics.everyStage} metrics, and ${alarmMetrics.loads} more with loads on AWS`,
    price: ({ alarms, loads }) => {
      if (!alarms) return 0
      const metrics = alarmMetrics.everyStage + (loads ? alarmMetrics.loads : 0)
      return metrics * unitPrices.alarmMetric
    },
  },
  {
    what: 'dashboard, after the three free ones of an account',
    price: ({ alarms }) => (alarms ? unitPrices.dashboard : 0),
  },
  {
    what: `metrics of the sweeper: ${Object.keys(sweepMetrics).length}`,
    price: () => Object.keys(sweepMetrics).length * unitPrices.metric,
  },
  {
    what: `sweeper: ${runs.toLocaleString('en')} runs, nine index queries each, and their logs`,
    price: () => priceTimer(timers.sweeper),
  },
  {
    what: `announcer of loads, and repeated calls of webhooks: ${(2 * runs).toLocaleString('en')} runs, a query each`,
    price: () => priceTimer(timers.announcer) + priceTimer(timers.webhooks),
  },
  { what: 'a key of KMS (`encryptionKeyArn`)', price: ({ key }) => (key ? unitPrices.key : 0) },
  {
    what: 'requests to the key: at most one for each run of a timer',
    price: ({ key }) => (key ? Object.keys(timers).length * runs * unitPrices.keyRequest : 0),
  },
  {
    what: 'a hosted zone of Route 53, if the domain of the stage has one of its own',
    price: ({ hostedZone }) => (hostedZone ? unitPrices.hostedZone : 0),
  },
]

/** Returns the price of an idle stage, in dollars a month. */
export const priceIdle = (kind: StageKind): number => idleParts.reduce((sum, { price }) => sum + price(kind), 0)

/** Data that a stage keeps. */
export interface KeptData {
  readonly what: string
  readonly example: string
  readonly gigabytes: number
  /** Dollars for a gigabyte and month. */
  readonly unitPrice: number
}

export const keptData: readonly KeptData[] = [
  { what: 'tables', example: '1 GB of jobs and fee schedules', gigabytes: 1, unitPrice: unitPrices.tableGigabyteMonth },
  {
    what: 'point-in-time recovery of tables, always on',
    example: 'the same 1 GB',
    gigabytes: 1,
    unitPrice: unitPrices.recoveryGigabyteMonth,
  },
  {
    what: 'rates: the month that searches read',
    example: '100 GB of Parquet files',
    gigabytes: 100,
    unitPrice: unitPrices.s3GigabyteMonth,
  },
  {
    what: 'rates: a year of months before (`keepMonths` 12)',
    example: '12 times 100 GB',
    gigabytes: 1200,
    unitPrice: unitPrices.s3GigabyteMonth,
  },
  {
    what: `rates that were deleted, for ${ratesRecoveryDays} days`,
    example: '100 GB of a month before',
    gigabytes: (100 * ratesRecoveryDays) / 30,
    unitPrice: unitPrices.s3GigabyteMonth,
  },
  {
    what: 'a month of NPPES: the table and the directory',
    example: '171 and 133 MB',
    gigabytes: 0.304,
    unitPrice: unitPrices.s3GigabyteMonth,
  },
]
