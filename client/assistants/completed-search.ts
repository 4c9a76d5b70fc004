import type { CompletedManifest } from '../api.ts'
import { type Answer, shortText, shortValue, withoutEmpty } from './answer.ts'

/** Says of a plan that a part of its files was not loaded. */
export const partialRemark = 'some files that the payer lists were missing when it was loaded'

/** Maximum number of plans that an answer names. */
const maxPlans = 8

/** Names the plans, months and files that a result comes from, and what of the request it has nothing of. */
export function describeSources(manifest: CompletedManifest): Answer {
  const { status, job_id, fee_schedules, without_rows, request, nppes_month } = manifest
  const plans = fee_schedules.slice(0, maxPlans).map((plan) => ({
    payer: shortText(plan.payer),
    plan: shortText(plan.plan),
    ...withoutEmpty({
      last_updated_on: plan.last_updated_on,
      file_count: plan.file_count,
      partial: plan.partial === true && partialRemark,
      superseded: plan.superseded === true && 'newer rates have been loaded since',
    }),
  }))
  const unnamed = fee_schedules.length - plans.length
  return {
    state: status,
    job_id,
    plans,
    ...(unnamed > 0 && { further_plans: unnamed }),
    ...withoutEmpty({
      as_of: request.as_of,
      nppes_month,
      nothing_found_for: describeAbsent(without_rows),
    }),
  }
}

function describeAbsent(lists: CompletedManifest['without_rows']) {
  const absent = withoutEmpty({ ...lists })
  if (Object.keys(absent).length === 0) return undefined
  return Object.fromEntries(Object.entries(absent).map(([name, values]) => [name, shortValue(values)]))
}
