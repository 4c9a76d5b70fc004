import * as v from 'valibot'
import type { ActiveState, CatalogueEntry, EntryState, ShownContent } from '../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { foldName, foldPayerAndPlan } from '../../../core/catalogue/folded-name.ts'
import { payerNamesIndex, planNamesIndex } from '../../../schema/tables.ts'
import type { Item } from '../dynamo-client.ts'

/** The item format of entries in the catalogue's table. No other file knows these attributes. */

const shown = {
  plan_ids: v.array(v.string()),
  plan_id_count: v.number(),
  last_updated_on: v.optional(v.string()),
  partial_load: v.boolean(),
}

const removedSchema = v.object({ status: v.literal('removed') })

const activeSchema = v.object({
  status: v.literal('active'),
  ...shown,
  content_id: v.string(),
  sources_key: v.string(),
  plan_ids_key: v.string(),
  source_count: v.number(),
  filter_id: v.optional(v.string()),
  loaded_at: v.string(),
  origin: v.optional(v.string()),
  publisher: v.optional(v.string()),
})

const stateSchema = v.variant('status', [
  activeSchema,
  v.object({ status: v.literal('relation'), ...shown }),
  v.object({ status: v.literal('ambiguous'), variants: v.number() }),
  removedSchema,
])

const entrySchema = v.object({
  payer: v.string(),
  plan: v.string(),
  entry_version: v.string(),
  variant_of: v.optional(v.string()),
  state: stateSchema,
  previous: v.optional(
    v.object({ state: v.variant('status', [activeSchema, removedSchema]), replaced_at: v.string() }),
  ),
  changed_by: v.optional(v.string()),
})

/** Longest key that is written, in bytes of the 1,024 that a sort key may have. */
const maxKeyBytes = 1000

/** The keys of a name in the indexes for completion, or of the place where a beginning would be. */
export function writeNameKeys(name: FeeSchedule) {
  return { payer: writeNameKey('payer', foldPayerAndPlan(name)), plan: writeNameKey('plan', foldName(name.plan)) }
}

/** @param folded a folded name, or the beginning of one */
export function writeNameKey(by: 'payer' | 'plan', folded: string): Item {
  const { partitionKey, sortKey } = nameIndexes[by]
  return { [partitionKey]: Array.from(folded)[0] ?? '', [sortKey]: shorten(folded) }
}

export const nameIndexes = { payer: payerNamesIndex, plan: planNamesIndex } as const

/** The beginning of a text that has at most so many bytes of UTF-8. */
function shorten(text: string): string {
  const cut = Buffer.from(text).subarray(0, maxKeyBytes).toString()
  return text.startsWith(cut) ? cut : cut.replace(/\uFFFD+$/u, '')
}

export function writeEntry({ payer, plan, version, variantOf, state, previous, changedBy }: CatalogueEntry): Item {
  const keys = writeNameKeys({ payer, plan })
  return {
    payer,
    plan,
    entry_version: version,
    variant_of: variantOf,
    state: writeState(state),
    previous: previous && { state: writeState(previous.state), replaced_at: previous.replacedAt },
    changed_by: changedBy,
    ...(variantOf === undefined && state.status !== 'removed' && { ...keys.payer, ...keys.plan }),
  }
}

function writeState(state: EntryState): Item {
  switch (state.status) {
    case 'active': {
      const { contentId, sourcesKey, planIdsKey, sourceCount, filterId, loadedAt, origin, publisher } = state
      return {
        ...writeShown(state),
        status: state.status,
        content_id: contentId,
        sources_key: sourcesKey,
        plan_ids_key: planIdsKey,
        source_count: sourceCount,
        filter_id: filterId,
        loaded_at: loadedAt,
        origin,
        publisher,
      }
    }
    case 'relation':
      return { ...writeShown(state), status: state.status }
    case 'ambiguous':
    case 'removed':
      return { ...state }
  }
}

function writeShown({ planIds, planIdCount, lastUpdatedOn, partial }: ShownContent): Item {
  return { plan_ids: planIds, plan_id_count: planIdCount, last_updated_on: lastUpdatedOn, partial_load: partial }
}

export function parseEntry(item: Item): CatalogueEntry {
  const { payer, plan, entry_version, variant_of, state, previous, changed_by } = v.parse(entrySchema, item)
  return {
    payer,
    plan,
    version: entry_version,
    ...(variant_of !== undefined && { variantOf: variant_of }),
    state: parseState(state),
    ...(previous && {
      previous: {
        state: previous.state.status === 'removed' ? previous.state : parseActive(previous.state),
        replacedAt: previous.replaced_at,
      },
    }),
    ...(changed_by !== undefined && { changedBy: changed_by }),
  }
}

function parseState(state: v.InferOutput<typeof stateSchema>): EntryState {
  switch (state.status) {
    case 'active':
      return parseActive(state)
    case 'relation':
      return { status: state.status, ...parseShown(state) }
    case 'ambiguous':
    case 'removed':
      return state
  }
}

function parseActive(state: v.InferOutput<typeof activeSchema>): ActiveState {
  const { status, content_id, sources_key, plan_ids_key, source_count, filter_id, loaded_at, origin, publisher } = state
  return {
    status,
    ...parseShown(state),
    contentId: content_id,
    sourcesKey: sources_key,
    planIdsKey: plan_ids_key,
    sourceCount: source_count,
    ...(filter_id !== undefined && { filterId: filter_id }),
    loadedAt: loaded_at,
    ...(origin !== undefined && { origin }),
    ...(publisher !== undefined && { publisher }),
  }
}

function parseShown(state: Pick<v.InferOutput<typeof activeSchema>, keyof typeof shown>): ShownContent {
  return {
    planIds: state.plan_ids,
    planIdCount: state.plan_id_count,
    ...(state.last_updated_on !== undefined && { lastUpdatedOn: state.last_updated_on }),
    partial: state.partial_load,
  }
}
