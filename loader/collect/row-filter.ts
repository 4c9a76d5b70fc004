import { normaliseName } from '../../core/catalogue/fee-schedule.ts'
import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import { normaliseBillingCode, rewrittenCodeTypes, searchedBillingCode } from '../../core/search/billing-code.ts'
import { type BillingCode, readCanonicalCode } from '../decode/published-code.ts'

/** A load's filter in the form in which a file's objects are checked; an undefined field keeps everything. */
export interface RowFilter {
  /** Whether an item with this code is kept; the codes in its bundle are ignored. */
  readonly keepsCode: ((code: BillingCode) => boolean) | undefined
  readonly npis: ReadonlySet<number> | undefined
  /** Whether provider groups of a reference with these networks are kept. */
  readonly keepsNetworks: ((names: readonly string[]) => boolean) | undefined
}

export function createRowFilter({ codes, npis, networks }: Partial<LoadFilter> = {}): RowFilter {
  const known = networks && new Set(networks)
  return {
    keepsCode: codes && createCodeFilter(codes),
    npis: npis && new Set(npis),
    keepsNetworks: known && ((names) => names.some((name) => known.has(normaliseName(name)))),
  }
}

/** Keeps what a search for any of the codes would find: each code in the canonical form of every type. */
function createCodeFilter(codes: readonly string[]): (code: BillingCode) => boolean {
  const anyType = new Set(codes.map(normaliseBillingCode))
  const ofType = new Map(
    rewrittenCodeTypes.map((type) => [type, new Set(codes.map((code) => searchedBillingCode(type, code)))]),
  )
  return (published) => {
    const { type, code } = readCanonicalCode(published)
    return anyType.has(code) || (ofType.get(type.value)?.has(code) ?? false)
  }
}
