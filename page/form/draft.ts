import type { FeeSchedule, PlansOfId, SearchRequest } from '../../client/api.ts'
import { requestLimits, writeLimit } from '../../contract/limits.ts'
import { parseCodes, parseNpis, parseTins } from './pasted-values.ts'

/** A plan, or all plans of an id. */
export type Chosen = FeeSchedule | PlansOfId

/** A search that is being edited: the texts as they were pasted. */
export interface Draft {
  readonly feeSchedules: readonly Chosen[]
  readonly npis: string
  readonly codes: string
  readonly tins: string
}

export const emptyDraft: Draft = { feeSchedules: [], npis: '', codes: '', tins: '' }

/** The request of a draft, or what is still missing. */
export function readDraft(draft: Draft): { readonly request: SearchRequest } | { readonly missing: string } {
  const [npis, codes, tins] = [parseNpis(draft.npis), parseCodes(draft.codes), parseTins(draft.tins)]
  if (draft.feeSchedules.length === 0) return { missing: 'Choose at least one fee schedule.' }
  if (draft.feeSchedules.length > requestLimits.fee_schedules)
    return { missing: `Choose at most ${requestLimits.fee_schedules} fee schedules.` }
  const faulty = [npis, codes, tins].some(({ unreadable }) => unreadable.length > 0)
  if (faulty) return { missing: 'Correct or remove what could not be read.' }
  if (npis.values.length + codes.values.length + tins.values.length === 0)
    return { missing: 'Enter at least one NPI, billing code or TIN.' }
  if (npis.values.length > requestLimits.npis)
    return { missing: `Enter at most ${writeLimit(requestLimits.npis)} NPIs.` }
  if (codes.values.length > requestLimits.billing_codes || tins.values.length > requestLimits.tins)
    return {
      missing: `Enter at most ${writeLimit(requestLimits.billing_codes)} billing codes and ${writeLimit(requestLimits.tins)} TINs.`,
    }
  return {
    request: {
      fee_schedules: draft.feeSchedules,
      ...(npis.values.length > 0 && { npis: npis.values.map(Number) }),
      ...(codes.values.length > 0 && { billing_codes: codes.values }),
      ...(tins.values.length > 0 && { tins: tins.values }),
    },
  }
}
