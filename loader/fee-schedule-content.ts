import type { CatalogueEntry } from '../core/catalogue-entry.ts'
import type { Source } from '../core/content.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey } from '../core/fee-schedule.ts'
import { listAll } from '../core/list-catalogue.ts'
import { nameVariant, readPlanId } from '../core/plan-id.ts'
import type { Catalogue } from '../core/ports.ts'
import { LoadRefused } from './load-refused.ts'
import type { GivenNames, StagedFile } from './stage-file.ts'
import type { LoadedPlan } from './switch-fee-schedules.ts'

/**
 * What each plan id of a plan consists of, in the order in which the files name them.
 *
 * @param isPartial whether files are known to be missing of a fee schedule
 */
export function gatherPlans(
  files: readonly StagedFile[],
  isPartial: (feeSchedule: FeeSchedule) => boolean,
): readonly LoadedPlan[] {
  const served = files.flatMap((file) =>
    file.plans.map((plan) => ({ file, plan, planId: readPlanId(plan.planId, plan.planIdType) })),
  )
  const variants = Map.groupBy(served, ({ plan: { payer, plan }, planId }) =>
    feeScheduleKey({ payer, plan: nameVariant(plan, planId) }),
  )
  return [...variants.values()].flatMap((members) => {
    const [first] = members
    if (first === undefined) return []
    const { payer, plan } = first.plan
    const own = [...new Set(members.map(({ file }) => file))]
    const sum = (figure: 'rates' | 'codes' | 'npis') => own.reduce((total, { report }) => total + report[figure], 0)
    return {
      payer,
      plan,
      planId: first.planId,
      sourceIds: own.map(({ report }) => report.sourceId),
      partial: isPartial({ payer, plan }) || own.some((file) => file.partial),
      figures: { rates: sum('rates'), codes: sum('codes'), npis: sum('npis') },
    }
  })
}

/** What is kept of a loaded file. */
export function describeSource(file: StagedFile, loadId: string): Source {
  const { sourceId, name, bytes, prices, skipped, rates, codes, npis, findings } = file.report
  return {
    loadId,
    sourceId,
    identity: name,
    name,
    contentHash: file.contentHash,
    bytes,
    loaderVersion: '1',
    references: [],
    reportingEntityName: file.reportingEntityName,
    ...(file.lastUpdatedOn !== undefined && { lastUpdatedOn: file.lastUpdatedOn }),
    partial: file.partial,
    prices,
    skipped,
    rates,
    codes,
    npis,
    findings: Object.fromEntries(findings.map(({ rule, count }) => [rule, count])),
  }
}

/**
 * Refuses a load that would take files away from a fee schedule without saying so: a month of which half has not been
 * downloaded looks like that.
 *
 * @throws LoadRefused
 */
export async function refuseFewerFiles(plans: readonly LoadedPlan[], catalogue: Catalogue): Promise<void> {
  const names = plans.map((plan) => ({ payer: plan.payer, plan: nameVariant(plan.plan, plan.planId) }))
  const current = new Map((await catalogue.find(names)).map((entry) => [feeScheduleKey(entry), entry]))
  for (const [index, { payer, plan, sourceIds }] of plans.entries()) {
    const state = current.get(feeScheduleKey(names[index] ?? { payer, plan }))?.state
    const count = state?.status === 'active' ? state.sourceCount : 0
    if (count <= sourceIds.length) continue
    const counts = `has ${count} files now and would have ${sourceIds.length}`
    throw new LoadRefused(
      nameOf({ payer, plan }),
      `${counts}: name all, or say --replace (or --add to keep those present)`,
    )
  }
}

/**
 * Refuses names that differ from others only by case: two spellings of one payer would split its fee schedules, and
 * a search for one would miss the other. A name that was given by the operator is meant.
 *
 * @throws LoadRefused
 */
export async function refuseOtherSpellings(
  plans: readonly LoadedPlan[],
  given: GivenNames,
  catalogue: Catalogue,
): Promise<void> {
  const published = ({ payer, plan, variantOf }: CatalogueEntry) => ({ payer, plan: variantOf ?? plan })
  const entries = (await listAll(catalogue)).filter(({ state }) => state.status !== 'removed')
  const payers = Map.groupBy([...entries.map(published), ...plans], ({ payer }) => payer.toLowerCase())
  for (const { payer, plan } of plans) {
    const namesakes = payers.get(payer.toLowerCase()) ?? []
    const otherPayer = namesakes.find((other) => other.payer !== payer)
    if (otherPayer !== undefined && given.payer === undefined) {
      throw new LoadRefused(
        nameOf({ payer, plan }),
        `the payer is also spelt "${otherPayer.payer}": say which with --payer`,
      )
    }
    const otherPlan = namesakes.find(
      (other) => other.payer === payer && other.plan !== plan && other.plan.toLowerCase() === plan.toLowerCase(),
    )
    if (otherPlan !== undefined && given.plan === undefined) {
      throw new LoadRefused(
        nameOf({ payer, plan }),
        `the plan is also spelt "${otherPlan.plan}": say which with --plan`,
      )
    }
  }
}

const nameOf = ({ payer, plan }: FeeSchedule) => `${payer} / ${plan}`
