import * as v from 'valibot'
import { maxKeepMonths } from '../../schema/limits.ts'
import { loadOrder } from '../../schema/load-order.ts'
import { architectures, type WorkerSize, workerCounts } from '../../schema/load-worker.ts'
import { numberIn, optional, showValue, text, withDefault } from './stage-values.ts'

/**
 * Image with the Node.js that runs steps, for both architectures, from the registry in which AWS mirrors Docker Hub.
 */
export const defaultImage = 'public.ecr.aws/docker/library/node:24.21.0-bookworm-slim'

/**
 * Memory in GiB that Fargate offers for each number of vCPUs. Source: Amazon ECS developer guide, "Task CPU and
 * memory" for Fargate.
 */
const memoryChoices: ReadonlyMap<number, { readonly from: number; readonly to: number; readonly step: number }> =
  new Map([
    [1, { from: 2, to: 8, step: 1 }],
    [2, { from: 4, to: 16, step: 1 }],
    [4, { from: 8, to: 30, step: 1 }],
    [8, { from: 16, to: 60, step: 4 }],
    [16, { from: 32, to: 120, step: 8 }],
  ])

const workerCount = numberIn(workerCounts.least, workerCounts.most)

/**
 * Maximum length of a schedule's order, in characters of JSON. The order is passed in the overrides of a container,
 * which have at most 8,192 characters in total. Source: Amazon ECS API reference, RunTask, `overrides`.
 */
const maxOrderLength = 3000

const loadSchedule = v.strictObject({
  cron: v.pipe(
    v.string(),
    v.check(
      isCron,
      ({ input }) => `must be six fields of a cron expression of AWS, such as 0 3 6 * ? *, not ${showValue(input)}`,
    ),
    v.description(
      'Time of the load: the six fields of a cron expression of EventBridge Scheduler, such as 0 3 6 * ? *.',
    ),
  ),
  timezone: v.optional(
    v.pipe(
      v.string(),
      v.check(isTimeZone, ({ input }) => `must be a time zone such as America/New_York, not ${showValue(input)}`),
    ),
    'UTC',
  ),
  workers: v.optional(workerCount, workerCounts.default),
  order: v.pipe(
    loadOrder,
    v.check(
      (order) => JSON.stringify(order).length <= maxOrderLength,
      `must be at most ${maxOrderLength} characters of JSON: list files in a table of contents`,
    ),
    v.check(
      (order) => findUnsafeUrl(order) === undefined,
      ({ input }) => `must name https URLs without a signature, not ${showValue(hideSecrets(findUnsafeUrl(input)))}`,
    ),
    v.description(
      'Files to load: the options of `npm run load`, in camelCase. They are not secret, so signed URLs are refused.',
    ),
  ),
})

/**
 * Query fields of signed URLs of S3, CloudFront, Azure and Google. They expire, and a template must hold no secrets.
 */
const signature = /[?&](x-amz-signature|signature|sig|x-goog-signature)=/i

const findUnsafeUrl = ({ toc, files = [] }: { readonly toc?: string; readonly files?: readonly string[] }) =>
  [...(toc === undefined ? [] : [toc]), ...files].find(
    (url) => !/^https:\/\/[^/@]+(\/|$)/i.test(url) || signature.test(url),
  )

/** Replaces the parts of a URL that can hold credentials. */
const hideSecrets = (url: string | undefined) => url?.replace(/\/\/[^/]*@|[?#].*/g, '…')

export type LoadSchedule = Readonly<v.InferOutput<typeof loadSchedule>>

/** The field `loads` of a stage file. */
export const loadsSettings = v.pipe(
  v.strictObject({
    vcpus: withDefault(v.picklist([1, 2, 4, 8, 16]), 'vCPUs of a worker, which reads one file at a time.', 2),
    memoryGib: withDefault(numberIn(2, 120), 'Memory of a worker, in GiB.', 4),
    scratchGib: withDefault(
      numberIn(21, 200),
      'Disk of a worker, in GiB, for the tables of one file. Fargate bills what exceeds 20 GiB.',
      50,
    ),
    maxWorkers: withDefault(
      workerCount,
      'Maximum number of workers of a load, and of all loads together on Spot and on Fargate each.',
      40,
    ),
    spot: withDefault(
      v.boolean(),
      'True: workers run on Fargate Spot first, then on Fargate. Spot costs 70 % less, but AWS can take a worker back.',
      true,
    ),
    architecture: withDefault(
      v.picklist(architectures),
      'Processors of workers. arm64 costs 20 % less, but some zones and regions have no Fargate for it; x86_64 runs in all that have Fargate.',
      'arm64',
    ),
    zones: optional(
      v.pipe(
        v.array(text(/^[a-z]{2,}\d-az\d$/, 'the id of an availability zone such as use1-az1')),
        v.minLength(1, 'must name a zone'),
        v.maxLength(6, 'must have at most 6 zones'),
        v.check((zones) => new Set(zones).size === zones.length, 'must name each zone once'),
      ),
      'Availability zones of the network of loads, by their ids, which are the same in all accounts. A change replaces the network: let no load run. Default: those in which it is deployed; for a new one, up to three that have Fargate for the architecture.',
    ),
    image: withDefault(
      v.string(),
      'Image that workers run, with Node.js 24, tar and glibc; for example a private copy of the default.',
      defaultImage,
    ),
    clean: withDefault(
      v.boolean(),
      'True: each completed load on AWS then deletes data that was superseded or removed over a day before, like `npm run fee-schedules -- clean`.',
      false,
    ),
    keepMonths: withDefault(
      v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxKeepMonths)),
      'Number of months back for which searches may name a day (`as_of`): `clean` keeps the data that they read. 0: only today.',
      0,
    ),
    schedules: withDefault(v.array(loadSchedule), 'Loads that start on a schedule.', []),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? findMemoryFault(dataset.value) : undefined
    if (message !== undefined) addIssue({ message })
  }),
)

export type LoadsSettings = Readonly<v.InferOutput<typeof loadsSettings>>

function findMemoryFault({ vcpus, memoryGib }: Pick<WorkerSize, 'vcpus' | 'memoryGib'>): string | undefined {
  const choice = memoryChoices.get(vcpus)
  if (choice === undefined) throw new RangeError(`Fargate offers no ${vcpus} vCPUs`)
  const { from, to, step } = choice
  if (memoryGib >= from && memoryGib <= to && memoryGib % step === 0) return undefined
  const steps = step === 1 ? '' : ` in steps of ${step}`
  return `has a memoryGib of ${memoryGib}: it must be ${from} to ${to}${steps} for ${vcpus} vCPUs`
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** A field of a cron expression: its range, names for numbers, and forms such as `L`. */
interface CronField {
  readonly least: number
  readonly most: number
  readonly names?: string
  readonly more?: RegExp
}

/**
 * The fields of a cron expression: their numbers, names and further forms. Source: EventBridge Scheduler user guide,
 * "Cron-based schedules".
 */
const cronFields: readonly CronField[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31, more: /^(\?|L|LW|\d\d?W)$/ },
  { least: 1, most: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC' },
  { least: 1, most: 7, names: 'SUN MON TUE WED THU FRI SAT', more: /^(\?|L|[1-7]L|[1-7]#[1-5])$/ },
  { least: 1970, most: 2199 },
]

/** True if each field is valid and exactly one of the two fields for days is `?`. */
function isCron(text: string): boolean {
  const fields = text.toUpperCase().split(' ')
  const isSound = cronFields.every(({ least, most, names = '', more }, index) =>
    (fields[index] ?? '').split(',').every((part) => {
      const numbers = part.replace(/[A-Z]{3}/g, (name) => (names.split(' ').includes(name) ? String(least) : name))
      const [, from = least, to = least] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/[1-9]\d*)?$/.exec(numbers) ?? [0, -1, -1]
      return more?.test(part) || [from, to].every((number) => Number(number) >= least && Number(number) <= most)
    }),
  )
  return isSound && fields.length === cronFields.length && (fields[2] === '?') !== (fields[4] === '?')
}
