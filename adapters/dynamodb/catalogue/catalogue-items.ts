import * as v from 'valibot'
import type {
  ActiveState,
  CatalogueEntry,
  EntryState,
  PreviousState,
  ShownContent,
} from '../../../core/catalogue/catalogue-entry.ts'
import { factNames, isSameFacts } from '../../../core/catalogue/plan-facts.ts'
import type { Item } from '../dynamo-client.ts'

/** The item format of entries in the catalogue's table. No other file knows these attributes. */

export const factsSchema = v.object(
  v.entriesFromList(factNames, v.exactOptional(v.pipe(v.array(v.string()), v.readonly()))),
)

const shown = {
  plan_ids: v.array(v.string()),
  plan_id_count: v.number(),
  last_updated_on: v.optional(v.string()),
  partial_load: v.boolean(),
  facts: v.optional(factsSchema),
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
    v.object({
      state: v.variant('status', [activeSchema, removedSchema]),
      same_facts: v.optional(v.boolean()),
      replaced_at: v.string(),
    }),
  ),
  changed_by: v.optional(v.string()),
})

export function writeEntry({ payer, plan, version, variantOf, state, previous, changedBy }: CatalogueEntry): Item {
  return {
    payer,
    plan,
    entry_version: version,
    variant_of: variantOf,
    state: writeState(state, payer),
    previous: previous && writePrevious(previous, state, payer),
    changed_by: changedBy,
  }
}

/** Plans are published with the same facts month after month; an entry of over a kilobyte would cost two writes. */
function writePrevious({ state, replacedAt }: PreviousState, current: EntryState, payer: string): Item {
  const isSame = 'facts' in state && 'facts' in current && isSameFacts(state.facts, current.facts)
  const stored = writeState(state, payer)
  return {
    state: isSame ? { ...stored, facts: undefined } : stored,
    same_facts: isSame || undefined,
    replaced_at: replacedAt,
  }
}

function writeState(state: EntryState, payer: string): Item {
  switch (state.status) {
    case 'active': {
      const { contentId, sourcesKey, planIdsKey, sourceCount, filterId, loadedAt, origin, publisher } = state
      return {
        ...writeShown(state, payer),
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
      return { ...writeShown(state, payer), status: state.status }
    case 'ambiguous':
    case 'removed':
      return { ...state }
  }
}

function writeShown({ planIds, planIdCount, lastUpdatedOn, partial, facts }: ShownContent, payer: string): Item {
  const shown = { plan_ids: planIds, plan_id_count: planIdCount, last_updated_on: lastUpdatedOn, partial_load: partial }
  // An issuer that is the payer is not repeated.
  const isPayer = facts?.issuers?.length === 1 && facts.issuers[0] === payer
  return { ...shown, facts: isPayer ? { ...facts, issuers: [] } : facts }
}

export function parseEntry(item: Item): CatalogueEntry {
  const { payer, plan, entry_version, variant_of, state, previous, changed_by } = v.parse(entrySchema, item)
  const current = parseState(state, payer)
  return {
    payer,
    plan,
    version: entry_version,
    ...(variant_of !== undefined && { variantOf: variant_of }),
    state: current,
    ...(previous && { previous: parsePrevious(previous, current, payer) }),
    ...(changed_by !== undefined && { changedBy: changed_by }),
  }
}

function parsePrevious(
  { state, same_facts, replaced_at }: NonNullable<v.InferOutput<typeof entrySchema>['previous']>,
  current: EntryState,
  payer: string,
): PreviousState {
  if (state.status === 'removed') return { state, replacedAt: replaced_at }
  const facts = same_facts === true && 'facts' in current ? { facts: current.facts } : {}
  return { state: { ...parseActive(state, payer), ...facts }, replacedAt: replaced_at }
}

function parseState(state: v.InferOutput<typeof stateSchema>, payer: string): EntryState {
  switch (state.status) {
    case 'active':
      return parseActive(state, payer)
    case 'relation':
      return { status: state.status, ...parseShown(state, payer) }
    case 'ambiguous':
    case 'removed':
      return state
  }
}

function parseActive(state: v.InferOutput<typeof activeSchema>, payer: string): ActiveState {
  const { status, content_id, sources_key, plan_ids_key, source_count, filter_id, loaded_at, origin, publisher } = state
  return {
    status,
    ...parseShown(state, payer),
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

function parseShown(state: Pick<v.InferOutput<typeof activeSchema>, keyof typeof shown>, payer: string): ShownContent {
  const { facts } = state
  return {
    planIds: state.plan_ids,
    planIdCount: state.plan_id_count,
    ...(state.last_updated_on !== undefined && { lastUpdatedOn: state.last_updated_on }),
    partial: state.partial_load,
    ...(facts && { facts: facts.issuers?.length === 0 ? { ...facts, issuers: [payer] } : facts }),
  }
}
