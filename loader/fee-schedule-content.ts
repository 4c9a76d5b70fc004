import type { LoadedFile } from '../core/catalogue-entry.ts'
import type { FeeSchedule } from '../core/fee-schedule.ts'
import { feeScheduleKey } from '../core/fee-schedule.ts'
import { listAll } from '../core/list-catalogue.ts'
import type { Catalogue } from '../core/ports.ts'
import { LoadRefused } from './load-refused.ts'
import type { GivenNames, StagedFile } from './stage-file.ts'
import type { FeeScheduleContent } from './switch-catalogue.ts'

/**
 * What each fee schedule consists of, in the order in which the files name them.
 *
 * @param isPartial whether files are known to be missing of a fee schedule
 */
export function gatherContents(
  files: readonly StagedFile[],
  isPartial: (feeSchedule: FeeSchedule) => boolean,
  loadedAt: string,
): readonly FeeScheduleContent[] {
  const served = files.flatMap((file) => file.plans.map((plan) => ({ file, plan })))
  const servedAs = Map.groupBy(served, ({ plan }) => feeScheduleKey(plan))
  return [...servedAs.values()].flatMap((members) => {
    const [first] = members
    if (first === undefined) return []
    const { payer, plan } = first.plan
    // A file that serves the plan under several ids is one source.
    const own = [...new Set(members.map(({ file }) => file))]
    const [lastUpdatedOn] = own
      .flatMap((file) => file.lastUpdatedOn ?? [])
      .sort()
      .reverse()
    return {
      payer,
      plan,
      planIds: [...new Set(members.flatMap(({ plan: { planId } }) => planId ?? []))].sort(),
      sources: own.map(({ report }) => report.sourceId),
      ...(lastUpdatedOn === undefined ? {} : { lastUpdatedOn }),
      partial: isPartial({ payer, plan }) || own.some((file) => file.partial),
      files: own.map(describeLoaded),
      loadedAt,
    }
  })
}

function describeLoaded({ report: { sourceId, name, prices, skipped, rates, findings } }: StagedFile): LoadedFile {
  const counts = Object.fromEntries(findings.map(({ rule, count }) => [rule, count]))
  return { sourceId, name, prices, skipped, rates, findings: counts }
}

/**
 * Refuses a load that would take files away from a fee schedule without saying so: a month of which half has not been
 * downloaded looks like that.
 *
 * @throws LoadRefused
 */
export async function refuseFewerFiles(contents: readonly FeeScheduleContent[], catalogue: Catalogue): Promise<void> {
  const current = new Map((await catalogue.find(contents)).map((entry) => [feeScheduleKey(entry), entry]))
  for (const content of contents) {
    const count = current.get(feeScheduleKey(content))?.sources.length ?? 0
    if (count <= content.sources.length) continue
    const counts = `has ${count} files now and would have ${content.sources.length}`
    throw new LoadRefused(nameOf(content), `${counts}: name all, or say --replace (or --add to keep those present)`)
  }
}

/**
 * Refuses names that differ from others by case alone: two spellings of one payer would split its fee schedules, and
 * whoever searches for one would miss the other. A name that was given by the operator is meant.
 *
 * @throws LoadRefused
 */
export async function refuseOtherSpellings(
  contents: readonly FeeScheduleContent[],
  given: GivenNames,
  catalogue: Catalogue,
): Promise<void> {
  const known = [...(await listAll(catalogue)), ...contents]
  const payers = Map.groupBy(known, ({ payer }) => payer.toLowerCase())
  for (const { payer, plan } of contents) {
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
