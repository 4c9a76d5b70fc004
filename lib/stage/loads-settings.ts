import * as v from 'valibot'
import { maxKeepMonths } from '../../schema/limits.ts'
import { loadOrder } from '../../schema/load-order.ts'
import { type WorkerSize, workerCounts } from '../../schema/load-worker.ts'
import { numberIn, shown, withDefault } from './stage-values.ts'

/** The Node.js that steps run on: an image for both architectures, from the registry that AWS mirrors Docker Hub in. */
export const defaultImage = 'public.ecr.aws/docker/library/node:24.21.0-bookworm-slim'

/**
 * Memory in GiB that Fargate offers for each number of vCPUs. Source: Amazon ECS developer guide, "Task CPU and
 * memory" for Fargate.
 */
const memoryChoices: Readonly<Record<number, { readonly from: number; readonly to: number; readonly step: number }>> = {
  1: { from: 2, to: 8, step: 1 },
  2: { from: 4, to: 16, step: 1 },
  4: { from: 8, to: 30, step: 1 },
  8: { from: 16, to: 60, step: 4 },
  16: { from: 32, to: 120, step: 8 },
}

const workerCount = numberIn(workerCounts.least, workerCounts.most)

/**
 * Characters of a schedule's order: it is passed to the container, whose overrides have at most 8,192 with the rest.
 * Source: Amazon ECS API reference, RunTask, `overrides`.
 */
const maxOrderLength = 3000

const loadSchedule = v.strictObject({
  cron: v.pipe(
    v.string(),
    v.check(
      isCron,
      ({ input }) => `must be six fields of a cron expression of AWS, such as 0 3 6 * ? *, not ${shown(input)}`,
    ),
    v.description('When: the six fields of a cron expression of EventBridge Scheduler, such as 0 3 6 * ? *.'),
  ),
  timezone: v.optional(
    v.pipe(
      v.string(),
      v.check(isTimeZone, ({ input }) => `must be a time zone such as America/New_York, not ${shown(input)}`),
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
      (order) => findUnfit(order) === undefined,
      ({ input }) =>
        `must name https URLs without a signature, not ${shown(findUnfit(input)?.replace(/\/\/[^/]*@|[?#].*/g, '…'))}`,
    ),
    v.description('What to load: the options of `npm run load`, in camelCase. It is not secret: no signed URLs.'),
  ),
})

/** Query fields of signed URLs: S3 and CloudFront, Azure, Google. They expire, and a template is no place for secrets. */
const signature = /[?&](x-amz-signature|signature|sig|x-goog-signature)=/i

const findUnfit = ({ toc, files = [] }: { readonly toc?: string; readonly files?: readonly string[] }) =>
  [...(toc === undefined ? [] : [toc]), ...files].find(
    (url) => !/^https:\/\/[^/@]+(\/|$)/i.test(url) || signature.test(url),
  )

export type LoadSchedule = Readonly<v.InferOutput<typeof loadSchedule>>

/** The field `loads` of a stage file. */
export const loadsSettings = v.pipe(
  v.strictObject({
    vcpus: withDefault(v.picklist([1, 2, 4, 8, 16]), 'vCPUs of a worker, which reads one file at a time.', 2),
    memoryGib: withDefault(numberIn(2, 120), 'Memory of a worker, in GiB.', 4),
    scratchGib: withDefault(
      numberIn(21, 200),
      'Disk of a worker, in GiB: the tables of one file are staged there. More than 20 GiB is billed.',
      50,
    ),
    maxWorkers: withDefault(
      workerCount,
      'The most workers of a load, and of all loads together on Spot and on Fargate each.',
      40,
    ),
    spot: withDefault(
      v.boolean(),
      'Whether workers run on Fargate Spot before Fargate. Spot costs 70 % less, and can be taken back.',
      true,
    ),
    image: withDefault(
      v.string(),
      'The image that workers run: Node.js 24, tar and glibc. A private copy of the default, say.',
      defaultImage,
    ),
    clean: withDefault(
      v.boolean(),
      'Whether each load on AWS that completes then deletes what was superseded or removed over a day before, like `npm run fee-schedules -- clean`.',
      false,
    ),
    keepMonths: withDefault(
      v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxKeepMonths)),
      'How many months back searches may name a day (`as_of`): `clean` keeps what they read. 0: only today.',
      0,
    ),
    schedules: withDefault(v.array(loadSchedule), 'Loads that are started by the clock.', []),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? findMemoryFault(dataset.value) : undefined
    if (message !== undefined) addIssue({ message })
  }),
)

export type LoadsSettings = Readonly<v.InferOutput<typeof loadsSettings>>

function findMemoryFault({ vcpus, memoryGib }: Pick<WorkerSize, 'vcpus' | 'memoryGib'>): string | undefined {
  const { from = 0, to = 0, step = 1 } = memoryChoices[vcpus] ?? {}
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

interface CronField {
  readonly least: number
  readonly most: number
  readonly names?: string
  readonly more?: RegExp
}

/** The fields of a cron expression: their numbers, names and further forms. Source: EventBridge Scheduler user guide, "Cron-based schedules". */
const cronFields: readonly CronField[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31, more: /^(\?|L|LW|\d\d?W)$/ },
  { least: 1, most: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC' },
  { least: 1, most: 7, names: 'SUN MON TUE WED THU FRI SAT', more: /^(\?|L|[1-7]L|[1-7]#[1-5])$/ },
  { least: 1970, most: 2199 },
]

/** A field, and only one of the two for days is `?`. */
function isCron(text: string): boolean {
  const fields = text.toUpperCase().split(' ')
  const isSound = cronFields.every(({ least, most, names = '', more }, index) =>
    (fields[index] ?? '').split(',').every((part) => {
      const numbers = part.replace(/[A-Z]{3}/g, (name) => (names.split(' ').includes(name) ? String(least) : name))
      const [, from = least, to = least] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/[1-9]\d*)?$/.exec(numbers) ?? [0, -1, -1]
      return more?.test(part) || [from, to].every((each) => Number(each) >= least && Number(each) <= most)
    }),
  )
  return isSound && fields.length === cronFields.length && (fields[2] === '?') !== (fields[4] === '?')
}
