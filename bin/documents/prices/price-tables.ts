import { at } from '../../../schema/at.ts'
import { idleParts, keptData, priceIdle, stageKinds } from './idle-price.ts'
import { ownRelations, priceRefreshDay, refreshesADay } from './refresh-price.ts'
import {
  countRequests,
  type FileSize,
  fixedParts,
  largeFile,
  largeFileInPart,
  type PlanOfFiles,
  plansOfFiles,
  priceRetry,
  priceRows,
  priceSearch,
  retryTransitions,
  smallFile,
  sumPrice,
  transitions,
} from './search-price.ts'

const million = 1_000_000

/** A table of a document, as lines of Markdown; the first is the header, by which it is found. */
type Table = readonly [string, ...string[]]

/** The tables of prices, which documents have between their own paragraphs. */
export const describePriceTables = (): readonly Table[] => [
  tabulate(['', 'per search', 'dollars per million'], describeParts()),
  tabulate(
    ['files of the plan', 'size of each', '5 transitions', '3 transitions', '5, with margin'],
    eachPlan([smallFile, largeFile], describePlan),
  ),
  tabulate(
    ['files', 'size', 'LIST', 'GET', 'MB read', 'Athena', 'LIST and GET', 'everything else', 'margin'],
    eachPlan([smallFile, largeFile, largeFileInPart], describeRequests),
  ),
  tabulate(
    ['files of the plan, 0.1 MB each', 'rows of a search: 100', '10,000', '1,000,000'],
    plansOfFiles.map(describeRows),
  ),
  tabulate(
    [
      'the relation `fee_schedules`',
      `${refreshesADay.timer} refreshes of the timer`,
      `${refreshesADay.forced} forced`,
      'a day at most',
    ],
    ownRelations.map((relation) => {
      const { timer, forced } = priceRefreshDay(relation)
      return [relation.label, `$${cents(timer)}`, `$${cents(forced)}`, `**$${cents(timer + forced)}**`]
    }),
  ),
  tabulate(
    ['dollars a month', ...stageKinds.map(({ label }) => label)],
    [
      ...idleParts.map(({ what, price }) => [what, ...stageKinds.map((kind) => price(kind)).map(centsOrNone)]),
      ['**together**', ...stageKinds.map((kind) => `**${cents(priceIdle(kind))}**`)],
    ],
  ),
  tabulate(
    ['what is kept', 'for example', 'dollars a GB', 'dollars a month'],
    keptData.map(({ what, example, gigabytes, unitPrice }) => [
      what,
      example,
      String(unitPrice),
      significant(gigabytes * unitPrice).slice(1),
    ]),
  ),
]

/**
 * Writes the tables of prices into a document, each in place of the one with the same header. A document has those that
 * it shows.
 */
export function writePriceTables(document: string): string {
  return describePriceTables().reduce((text, table) => {
    const start = text.indexOf(`\n${table[0]}\n`)
    if (start === -1) return text
    const rows = /^(?:\|.*\n)+/.exec(text.slice(start + 1))
    return rows === null ? text : text.replace(at(rows, 0), () => `${table.join('\n')}\n`)
  }, document)
}

function tabulate(heading: readonly string[], rows: readonly (readonly string[])[]): Table {
  const print = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
  return [print(heading), `|${heading.map(() => '---|').join('')}`, ...rows.map(print)]
}

function describeParts(): readonly (readonly string[])[] {
  const plan = at(plansOfFiles, 0)
  const price = priceSearch(plan, smallFile, transitions.twoSteps)
  return [
    [
      'Step Functions',
      `${transitions.twoSteps} transitions: two steps, a choice after each, the end`,
      whole(price.transitions),
    ],
    ['Athena', '10 MB read, its minimum', whole(price.athena)],
    [
      "S3, Athena's own requests",
      `${plan.lists} LIST and ${countRequests(plan, smallFile).gets} GET, for a plan of ${plan.files} files`,
      whole(price.requests),
    ],
    ...fixedParts.map(({ service, work, dollars }) => [service, work, tenth(dollars)]),
    ['**together**', '', `**${whole(sumPrice(price))}**`],
    [
      'with 3 transitions',
      'a search whose result is published by its first step',
      whole(sumPrice(priceSearch(plan, smallFile, transitions.oneStep))),
    ],
    [
      'one more attempt',
      `if the query runs out of memory: ${retryTransitions} transitions, 1 invocation, and Athena with its requests again`,
      whole(priceRetry(plan, smallFile)),
    ],
    ['margin', 'the LIST and GET once more, and statistics of columns from Glue', whole(price.margin)],
  ]
}

function eachPlan(sizes: readonly FileSize[], describe: (plan: PlanOfFiles, size: FileSize) => readonly string[]) {
  return plansOfFiles.flatMap((plan) => sizes.map((size) => describe(plan, size)))
}

function describePlan(plan: PlanOfFiles, size: FileSize): readonly string[] {
  const price = priceSearch(plan, size, transitions.twoSteps)
  const short = priceSearch(plan, size, transitions.oneStep)
  return [
    count(plan.files),
    size.label,
    ...[sumPrice(price), sumPrice(short), sumPrice(price) + price.margin].map(whole),
  ]
}

function describeRequests(plan: PlanOfFiles, size: FileSize): readonly string[] {
  const { lists, gets, bytes } = countRequests(plan, size)
  const { athena, requests, fixed, transitions: driven, margin } = priceSearch(plan, size, transitions.twoSteps)
  return [
    ...[count(plan.files), size.label, count(lists), count(gets), (bytes / million).toFixed(1)],
    ...[athena, requests, fixed + driven, margin].map(whole),
  ]
}

function describeRows(plan: PlanOfFiles): readonly string[] {
  const search = sumPrice(priceSearch(plan, smallFile, transitions.twoSteps))
  const prices = [100, 10_000, million].map((rows) => (search * million) / rows + priceRows(million).keeping)
  return [count(plan.files), ...prices.map(significant)]
}

const whole = (dollars: number) => count(Math.round(dollars * million))
const tenth = (dollars: number) => (dollars * million).toFixed(1)
const cents = (dollars: number) => dollars.toFixed(2)
const centsOrNone = (dollars: number) => (dollars === 0 ? '' : cents(dollars))
const significant = (dollars: number) => `$${Number(dollars.toPrecision(2))}`
const count = (value: number) => value.toLocaleString('en')
