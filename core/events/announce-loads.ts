import { createHash } from 'node:crypto'
import type { FeeSchedulesUpdatedEvent } from '../../contract/search-api.ts'
import type { Announcements } from '../announcements.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../catalogue/fee-schedule.ts'
import { readEntries } from '../catalogue/list-catalogue.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { chunk } from '../chunk.ts'
import { isSilent, type LoadRecord } from '../loads/load-record.ts'
import type { LoadRecords, UnannouncedLoad } from '../loads/ports.ts'
import { type Clock, formatTimestamp } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'

export interface AnnounceLoads {
  readonly records: Pick<LoadRecords, 'listUnannounced' | 'noteAnnounced' | 'read'>
  readonly catalogue: Pick<Catalogue, 'list'>
  readonly announcements: Announcements
  readonly now: Clock
}

/** Fee schedules in an event, which may have 256 KB: a name has at most 800 bytes. Source: EventBridge, "Quotas". */
const plansPerEvent = 100

const announcedAtOnce = 5

type Plan = FeeSchedulesUpdatedEvent['fee_schedules'][number] & Pick<FeeSchedule, 'payer'>

interface EndedLoad extends UnannouncedLoad {
  readonly status: FeeSchedulesUpdatedEvent['status']
  readonly at: Date
  readonly counts: LoadRecord['counts']
}

/**
 * Announces the changes of loads that have ended, or whose process was killed. A load itself sends no events and needs
 * no right to, so a load that died after its first switch is announced like any other.
 *
 * @returns the number of events
 */
export async function announceLoads(deps: AnnounceLoads): Promise<number> {
  const { records, catalogue, announcements, now } = deps
  const ended = (await Promise.all((await records.listUnannounced()).map(findEnd))).flat()
  if (ended.length === 0) return 0
  const changes = await readChanges(catalogue, new Set(ended.map(({ loadId }) => loadId)))
  let sent = 0
  for (const load of ended) {
    const events = describeLoad(load, changes.get(load.loadId) ?? [])
    await workAtOnce(events, announcedAtOnce, (detail) =>
      announcements.announce({ type: 'fee_schedules.updated', detail, happenedAt: load.at }),
    )
    await records.noteAnnounced(load)
    sent += events.length
  }
  return sent

  async function findEnd(load: UnannouncedLoad): Promise<readonly EndedLoad[]> {
    const record = await records.read(load.loadId)
    if (record === undefined) return []
    const { state, endedAt, touchedAt, counts } = record
    if (state !== 'running' && state !== 'cancelling')
      return [{ ...load, status: state, at: endedAt ?? touchedAt, counts }]
    return isSilent(record, now()) ? [{ ...load, status: 'interrupted', at: touchedAt, counts }] : []
  }
}

/**
 * Reads the plans that loads changed, one for each plan id, as the catalogue has them now. A plan that another load or
 * command has changed since is left to that one.
 *
 * @returns a lookup from load id to its plans; a load that changed nothing is absent
 */
async function readChanges(
  catalogue: Pick<Catalogue, 'list'>,
  loadIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Plan[]>> {
  const plansOf = new Map<string, Plan[]>()
  for await (const entries of readEntries(catalogue))
    for (const entry of entries) {
      const { changedBy, variantOf } = entry
      if (variantOf === undefined || changedBy === undefined || !loadIds.has(changedBy)) continue
      const plans = plansOf.get(changedBy) ?? []
      plansOf.set(changedBy, plans)
      plans.push(describePlan(entry, variantOf))
    }
  return plansOf
}

function describePlan({ payer, state, previous }: CatalogueEntry, plan: string): Plan {
  const lastLoaded = state.status === 'active' ? state : previous?.state
  const plan_ids = lastLoaded?.status === 'active' ? [...lastLoaded.planIds] : []
  return { payer, plan, plan_ids, change: state.status === 'active' ? 'switched' : 'removed' }
}

/** Describes a load by its events. A load that did not complete has none unless it changed something. */
function describeLoad({ loadId, status, at, counts }: EndedLoad, plans: readonly Plan[]) {
  if (plans.length === 0 && status !== 'completed') return []
  const ordered = [...Map.groupBy(plans, ({ payer }) => payer)].sort(([a], [b]) => (a < b ? -1 : 1))
  const pages = ordered.flatMap(([payer, payerPlans]) =>
    chunk(payerPlans.toSorted(byName), plansPerEvent).map((page) => ({
      payer,
      fee_schedules: page.map(({ payer: _, ...plan }) => plan),
    })),
  )
  const count = (change: Plan['change']) => plans.filter((plan) => plan.change === change).length
  const isComplete = status === 'completed'
  const whole = {
    version: 1,
    load_id: loadId,
    status,
    ended_at: formatTimestamp(at),
    counts: {
      switched: count('switched'),
      removed: count('removed'),
      unchanged: (isComplete && counts?.unchanged) || 0,
      left_out: (isComplete && counts?.leftOut) || 0,
    },
  } as const
  return (pages.length === 0 ? [{ fee_schedules: [] }] : pages).map((page, index, all): FeeSchedulesUpdatedEvent => {
    const event = { ...whole, page: index + 1, pages: all.length, ...page }
    // The id is a hash of the event, so that a repeated event keeps its id and an extended one gets another.
    return { id: createHash('sha256').update(JSON.stringify(event)).digest('hex').slice(0, 32), ...event }
  })
}

const byName = (a: Plan, b: Plan) => (`${a.plan}\n${a.plan_ids}` < `${b.plan}\n${b.plan_ids}` ? -1 : 1)
