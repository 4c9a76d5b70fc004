import { feeScheduleKey } from '../core/fee-schedule.ts'
import { JsonObject, pathOf } from './json-object.ts'
import { JsonStream, tooLong } from './json-stream.ts'
import { LoadRefused } from './load-refused.ts'
import { openPublishedBytes } from './published-bytes.ts'
import type { GivenNames, ServedPlan } from './stage-file.ts'
import { readName } from './stage-file.ts'

/** A plan of a table of contents. One name may come with several ids: they are one fee schedule. */
export interface ListedPlan {
  readonly plans: readonly ServedPlan[]
  /** The addresses of its in-network files: all that any entry lists which names the plan. */
  readonly locations: ReadonlySet<string>
}

interface NamedPlan extends Omit<ServedPlan, 'payer'> {
  readonly issuer: string | undefined
}

/** Most bytes of one entry, which lists plans and their files. */
const longestEntry = 1 << 26

/**
 * Reads the plans of a table of contents. Source: CMS schema, table-of-contents.json.
 *
 * @param given `payer` stands in place of each issuer; `plan` leaves only the plan of that name
 * @throws LoadRefused where the file is not a table of contents, or lists no such plan
 */
export async function readTableOfContents(path: string, given: GivenNames): Promise<readonly ListedPlan[]> {
  await using published = await openPublishedBytes(path)
  const stream = new JsonStream(published.chunks, path)
  const gathered: { readonly plan: NamedPlan; readonly locations: readonly string[] }[] = []
  let entity: string | undefined
  let isTableOfContents = false
  for await (const field of stream.fields(() => '')) {
    if (field === 'reporting_structure') {
      isTableOfContents = true
      for await (const index of stream.elements(() => field)) {
        const place = { file: path, field, index }
        const entry = await stream.read({ path: () => pathOf(place), limit: longestEntry })
        if (entry === tooLong) throw new LoadRefused(path, `${pathOf(place)} is longer than ${longestEntry} bytes`)
        gathered.push(...readEntry(new JsonObject(entry, place), given.plan))
      }
    } else if (field === 'reporting_entity_name') {
      const value = await stream.read({ path: () => field, limit: longestEntry })
      entity = new JsonObject({ [field]: value }, { file: path }).text(field)
    } else await stream.skip(() => field)
  }
  await stream.finish()
  if (!isTableOfContents) throw new LoadRefused(path, 'reporting_structure is missing: this is no table of contents')
  if (gathered.length === 0 && given.plan !== undefined) throw new LoadRefused(path, `lists no plan "${given.plan}"`)
  const payerOf = ({ issuer }: NamedPlan) => readName(given.payer ?? issuer ?? entity ?? '', 'payer', path)
  return uniteByPlan(gathered.map(({ plan, locations }) => ({ plan: { ...plan, payer: payerOf(plan) }, locations })))
}

function readEntry(entry: JsonObject, onlyPlan: string | undefined) {
  const locations = [...entry.objects('in_network_files')].map((file) => file.text('location'))
  return [...entry.requiredObjects('reporting_plans')].flatMap((reported) => {
    const plan = readName(reported.text('plan_name'), 'plan', reported.path)
    if (onlyPlan !== undefined && plan !== readName(onlyPlan, 'plan', '--plan')) return []
    const issuer = reported.optionalText('issuer_name')
    const planId = reported.optionalText('plan_id')
    return [{ plan: { plan, issuer, planId, planIdType: reported.optionalText('plan_id_type') }, locations }]
  })
}

function uniteByPlan(
  entries: readonly { readonly plan: ServedPlan; readonly locations: readonly string[] }[],
): readonly ListedPlan[] {
  const entriesOf = Map.groupBy(entries, ({ plan }) => feeScheduleKey(plan))
  return [...entriesOf.values()].map((members) => ({
    plans: [...new Map(members.map(({ plan }) => [plan.planId, plan])).values()],
    locations: new Set(members.flatMap(({ locations }) => locations)),
  }))
}
