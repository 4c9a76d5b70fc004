import { rewrittenCodeTypes } from '../../contract/texts/code-types.ts'
import { normaliseName } from '../../contract/texts/names.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'
import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import { searchedBillingCode } from '../../core/search/billing-code.ts'
import { type BillingCode, readCanonicalCode } from '../decode/published-code.ts'

/** A load's filter in the form that a file's objects are checked with. An undefined member keeps everything. */
export interface RowFilter {
  /** True if items with a code are kept. The codes in their bundles are ignored. */
  readonly keepsCode: ((code: BillingCode) => boolean) | undefined
  readonly npis: ReadonlySet<number> | undefined
  /** True if provider groups of a reference with these networks are kept. */
  readonly keepsNetworks: ((names: readonly string[]) => boolean) | undefined
}

export function createRowFilter({ codes, npis, networks }: Partial<LoadFilter> = {}): RowFilter {
  const networkNames = networks && new Set(networks)
  return {
    keepsCode: codes && createCodeFilter(codes),
    npis: npis && new Set(npis),
    keepsNetworks: networkNames && ((names) => names.some((name) => networkNames.has(normaliseName(name)))),
  }
}

/** Keeps the items that a search for one of the codes would find: each code in the canonical form of every type. */
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
