import { compareTexts } from '../compare-texts.ts'
import { FigureCounter, type Figures } from './change-figures.ts'
import { type Change, compareAmounts, compareDifferences, type Difference, describeChange } from './price-changes.ts'
import { type Blocks, mergePlans, type Price, type PriceGroup, PriceIndex, type Side } from './price-index.ts'

/** The oldest and the newest date on which prices were published, `YYYY-MM-DD`, by result; null if none is known. */
export type Publication = Readonly<Record<Side, readonly [oldest: string, newest: string] | null>>

/** A plan, or all plans if they are not told apart. */
export interface Plan {
  readonly payer: string | null
  readonly plan: string | null
}

/** Figures of a plan. A plan without prices in one of the results has neither changed nor unchanged ones. */
export interface PlanFigures extends Figures, Plan {
  readonly published: Publication
}

/** Figures of a code in a plan. */
export interface CodeFigures extends Figures, Plan {
  readonly billing_code_type: string | null
  readonly billing_code: string | null
  readonly name: string | null
}

/** The differences between two results. */
export interface Comparison {
  /**
   * The facts by which prices are matched: `plan` for plan and `price_key`, which is so if a plan is in both results or
   * no key is; `key` for the key alone, which plans with the same networks share.
   */
  readonly matched_by: 'plan' | 'key'
  /**
   * Number of prices that only the older result has, and whose TIN or code is one of the newer result without its
   * leading zeros, as earlier versions loaded it.
   */
  readonly without_zeros: number
  /** Figures of all prices; a price counts once in each plan. */
  readonly total: Figures
  readonly published: Publication
  readonly plans: readonly PlanFigures[]
  readonly codes: readonly CodeFigures[]
  /** The biggest relative change first; then changes with a remark, added and removed prices. */
  readonly changes: readonly Change[]
}

/**
 * Compares the prices of two results by plan and `price_key`. It holds about 300 bytes for each price, and
 * 800 more for each that differs, its row in a table included.
 *
 * @param older rows with `comparedColumns`
 * @throws NotComparable if a row has no key or no amount, or there are too many prices
 */
export async function compareResults(older: Blocks, newer: Blocks): Promise<Comparison> {
  const index = new PriceIndex()
  await index.add('old', older)
  await index.add('new', newer)
  const matchedBy = choosesKeyAlone(index.plans) ? 'key' : 'plan'
  const groups = (matchedBy === 'plan' ? [...index.plans] : [mergePlans(index.plans)]).sort(comparePlans)
  const total = new FigureCounter()
  const comparisons = groups.map((group) => compareGroup(group, total))
  return {
    matched_by: matchedBy,
    without_zeros: groups.reduce((sum, group) => sum + countWithoutZeros(group), 0),
    total: total.figures,
    published: findPublication(groups),
    plans: matchedBy === 'plan' ? comparisons.map(({ figures }) => figures) : [],
    codes: comparisons.flatMap(({ codes }) => codes),
    changes: comparisons
      .flatMap(({ differences }) => differences)
      .sort(compareDifferences)
      .map(({ change }) => change),
  }
}

/** Compares the prices of a plan, and counts them in the total, too. */
function compareGroup(group: PriceGroup, total: FigureCounter) {
  const { payer, plan } = group
  const counter = new FigureCounter()
  const codes = new Map<string, { readonly code: Omit<CodeFigures, keyof Figures>; readonly counter: FigureCounter }>()
  const differences: Difference[] = []
  for (const [key, price] of group.prices) {
    const { billing_code_type, billing_code, name } = price.subject
    const title = `${billing_code_type} ${billing_code}`
    const code = codes.get(title) ?? {
      code: { payer, plan, billing_code_type, billing_code, name },
      counter: new FigureCounter(),
    }
    codes.set(title, code)
    const compared = compareAmounts(price)
    const counted = { kind: compared.kind, ratio: compared.ratio, isDoubtful: price.isDoubtful }
    for (const each of [total, counter, code.counter]) each.add(counted)
    if (compared.kind !== 'unchanged') differences.push(describeChange(key, price, group, compared))
  }
  const figures: PlanFigures = { payer, plan, published: findPublication([group]), ...counter.figures }
  return {
    figures,
    codes: [...codes]
      .sort(([one], [other]) => compareTexts(one, other))
      .map(([, each]): CodeFigures => ({ ...each.code, ...each.counter.figures })),
    differences,
  }
}

/** Counts the prices with another key because later versions restore leading zeros of an EIN or CPT code. */
function countWithoutZeros({ prices }: PriceGroup): number {
  const write = (tin: string, { subject }: Price, code: string | null) =>
    JSON.stringify([tin, subject.billing_code_type, code])
  const added = new Set<string>()
  for (const price of prices.values())
    if (price.old === undefined) added.add(write(price.tin, price, price.subject.billing_code))
  let count = 0
  for (const price of prices.values()) {
    const { tin, subject } = price
    const code = subject.billing_code_type === 'CPT' ? subject.billing_code?.padStart(5, '0') : subject.billing_code
    const isShort = tin.length < 9 || code !== subject.billing_code
    if (price.new === undefined && isShort && added.has(write(tin.padStart(9, '0'), price, code ?? null))) count++
  }
  return count
}

const comparePlans = (one: Plan, other: Plan) =>
  compareTexts(one.payer, other.payer) || compareTexts(one.plan, other.plan)

/** True if no plan is in both results, but a key is: prices of plans with the same networks have the same keys. */
function choosesKeyAlone(plans: readonly PriceGroup[]): boolean {
  if (plans.some(({ sides }) => sides.size > 1)) return false
  const keysOf = (side: Side) =>
    plans.filter(({ sides }) => sides.has(side)).flatMap(({ prices }) => [...prices.keys()])
  const olderKeys = new Set(keysOf('old'))
  return keysOf('new').some((key) => olderKeys.has(key))
}

function findPublication(groups: readonly PriceGroup[]): Publication {
  const find = (side: Side) => {
    const dates = groups.flatMap((group) => [...group.dates[side]]).sort()
    const [oldest, newest] = [dates[0], dates.at(-1)]
    return oldest === undefined || newest === undefined ? null : ([oldest, newest] as const)
  }
  return { old: find('old'), new: find('new') }
}
