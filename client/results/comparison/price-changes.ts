import { Decimal } from '../../../parquet/decimal.ts'
import { compareTexts } from '../compare-texts.ts'
import { type ChangeKind, rankChange, relativeChange, toPercent } from './change-figures.ts'
import { amountScale, listAmounts, type Price, type PriceGroup, type Subject } from './price-index.ts'

/** A price that differs between two results. Texts are null if nothing was published. */
export interface Change extends Subject {
  readonly change: ChangeKind
  /** Change from the old amount to the new one; null if a side has several, which do not pair, or the old is zero. */
  readonly percent: number | null
  /** The distinct amounts, ascending: a key can have several in one month. */
  readonly old: readonly Decimal[]
  readonly new: readonly Decimal[]
  readonly tin_value: string
  /** Business name of the TIN, otherwise the name of a provider, with "and others" if it has several. */
  readonly provider: string | null
  /** The reason why the price is in no median. */
  readonly remark: 'doubtful' | 'several amounts' | 'from zero' | null
  readonly price_key: string
}

/** The amounts of a price in both results. */
export interface ComparedAmounts {
  readonly kind: ChangeKind | 'unchanged'
  readonly old: readonly bigint[]
  readonly new: readonly bigint[]
  readonly ratio: number | undefined
}

/** Compares the amounts of a price. */
export function compareAmounts(price: Price): ComparedAmounts {
  const [before, after] = [listAmounts(price.old), listAmounts(price.new)]
  return { kind: kindOf(before, after), old: before, new: after, ratio: ratioOf(before, after) }
}

function kindOf(before: readonly bigint[], after: readonly bigint[]): ComparedAmounts['kind'] {
  if (before.length === 0) return 'added'
  if (after.length === 0) return 'removed'
  return before.join() === after.join() ? 'unchanged' : 'changed'
}

/** Returns the relative change of one amount to one. */
function ratioOf(before: readonly bigint[], after: readonly bigint[]): number | undefined {
  const [old, now] = [before[0], after[0]]
  if (old === undefined || now === undefined) return undefined
  if (before.join() === after.join()) return 0
  return before.length + after.length > 2 ? undefined : relativeChange(old, now)
}

/** A change with its relative size before it is rounded. */
export interface Difference {
  readonly ratio: number | undefined
  readonly change: Change
}

/**
 * Describes a price that differs.
 *
 * @throws RangeError if it does not
 */
export function describeChange(
  key: string,
  price: Price,
  { payer, plan }: PriceGroup,
  compared: ComparedAmounts,
): Difference {
  const { old: before, new: after, kind, ratio } = compared
  if (kind === 'unchanged') throw new RangeError('the price is unchanged')
  const change: Change = {
    ...price.subject,
    payer,
    plan,
    change: kind,
    percent: ratio === undefined ? null : toPercent(ratio),
    old: before.map(readDecimal),
    new: after.map(readDecimal),
    tin_value: price.tin,
    provider: nameProvider(price),
    remark: remarkOn(price, compared),
    price_key: key,
  }
  return { ratio, change }
}

const readDecimal = (amount: bigint) => new Decimal(amount, amountScale)

function nameProvider({ business, provider, hasOtherProviders }: Price): string | null {
  if (business !== '') return business
  if (provider === '') return null
  return hasOtherProviders ? `${provider} and others` : provider
}

function remarkOn({ isDoubtful }: Price, { kind, old: before, new: after, ratio }: ComparedAmounts): Change['remark'] {
  if (isDoubtful) return 'doubtful'
  if (kind !== 'changed' || ratio !== undefined) return null
  return before.length + after.length > 2 ? 'several amounts' : 'from zero'
}

/** Orders changes: the biggest relative change first, then changes with a remark, added and removed prices. */
export function compareDifferences(one: Difference, other: Difference): number {
  const rank = rankOf(one.change) - rankOf(other.change)
  if (rank !== 0) return rank
  const size = Math.abs(other.ratio ?? 0) - Math.abs(one.ratio ?? 0)
  return size === 0 ? compareSubjects(one.change, other.change) : size
}

const rankOf = ({ change, remark }: Change) => rankChange(change, remark !== null)

/** Compares by the columns that a reader looks for, numbers in texts by their size; by key in the end. */
function compareSubjects(one: Change, other: Change): number {
  const columns = ['payer', 'plan', 'billing_code_type', 'billing_code', 'provider', 'tin_value', 'price_key'] as const
  const column = columns.find((name) => one[name] !== other[name])
  return column === undefined ? 0 : compareTexts(one[column], other[column])
}
