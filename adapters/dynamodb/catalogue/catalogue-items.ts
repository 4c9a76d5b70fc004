import * as v from 'valibot'
import type { ActiveState, CatalogueEntry, EntryState, PreviousState } from '../../../core/catalogue/catalogue-entry.ts'
import { factNames, isSameFacts, type PlanFacts } from '../../../core/catalogue/plan-facts.ts'
import { type Item, readFields, writeFields } from '../stored-fields.ts'

/**
 * The item format of entries in the catalogue's table. No other file knows these attributes. As in all files of item
 * formats, `write…` returns an item and `parse…` reads one; neither calls DynamoDB.
 */

export const factsSchema = v.object(
  v.entriesFromList(factNames, v.exactOptional(v.pipe(v.array(v.string()), v.readonly()))),
)

const shown = {
  plan_ids: v.array(v.string()),
  plan_id_count: v.number(),
  last_updated_on: v.exactOptional(v.string()),
  partial_load: v.boolean(),
  facts: v.exactOptional(factsSchema),
}

const removedSchema = v.object({ status: v.literal('removed') })

const activeSchema = v.object({
  status: v.literal('active'),
  ...shown,
  content_id: v.string(),
  sources_key: v.string(),
  plan_ids_key: v.string(),
  source_count: v.number(),
  unreadable_day: v.exactOptional(v.string()),
  filter_id: v.exactOptional(v.string()),
  loaded_at: v.string(),
  origin: v.exactOptional(v.string()),
  publisher: v.exactOptional(v.string()),
})

const stateSchema = v.variant('status', [
  activeSchema,
  v.object({ status: v.literal('relation'), ...shown, plan_ids_key: v.exactOptional(v.string()) }),
  v.object({ status: v.literal('ambiguous'), variants: v.number() }),
  removedSchema,
])

const entrySchema = v.object({
  payer: v.string(),
  plan: v.string(),
  entry_version: v.string(),
  variant_of: v.exactOptional(v.string()),
  state: stateSchema,
  previous: v.exactOptional(
    v.object({
      state: v.variant('status', [activeSchema, removedSchema]),
      same_facts: v.exactOptional(v.boolean()),
      replaced_at: v.string(),
    }),
  ),
  changed_by: v.exactOptional(v.string()),
  history: v.exactOptional(v.string()),
})

export function writeEntry({ version, state, previous, ...entry }: CatalogueEntry): Item {
  return writeFields({
    ...entry,
    entryVersion: version,
    state: writeState(state, entry.payer),
    previous: previous && writePrevious(previous, state, entry.payer),
  })
}

/**
 * Returns the previous state, without its facts if they equal the current ones. Plans are published with the same facts
 * month after month, and an entry over a kilobyte would cost two writes.
 */
function writePrevious({ state, replacedAt }: PreviousState, current: EntryState, payer: string): Item {
  const isSame = 'facts' in state && 'facts' in current && isSameFacts(state.facts, current.facts)
  const { facts, ...stored } = writeState(state, payer)
  return writeFields({ state: isSame ? stored : { ...stored, facts }, sameFacts: isSame || undefined, replacedAt })
}

function writeState(state: EntryState, payer: string): Item {
  if (!('partial' in state)) return { ...state }
  const { partial: partialLoad, facts, ...others } = state
  // An issuer that is the payer is not repeated.
  const isPayer = facts?.issuers?.length === 1 && facts.issuers[0] === payer
  return writeFields({ ...others, partialLoad, facts: isPayer ? { ...facts, issuers: [] } : facts })
}

export function parseEntry(item: Item): CatalogueEntry {
  const { entryVersion: version, state: stored, previous, ...entry } = readFields(v.parse(entrySchema, item))
  const state = parseState(stored, entry.payer)
  return { ...entry, version, state, ...(previous && { previous: parsePrevious(previous, state, entry.payer) }) }
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
  if (state.status === 'active') return parseActive(state, payer)
  if (state.status !== 'relation') return state
  const { partial_load, facts, ...relation } = state
  return { ...readFields(relation), ...parseShown(partial_load, facts, payer) }
}

function parseActive(state: v.InferOutput<typeof activeSchema>, payer: string): ActiveState {
  const { partial_load, facts, ...active } = state
  return { ...readFields(active), ...parseShown(partial_load, facts, payer) }
}

const parseShown = (partial: boolean, facts: PlanFacts | undefined, payer: string) => ({
  partial,
  ...(facts && { facts: facts.issuers?.length === 0 ? { ...facts, issuers: [payer] } : facts }),
})
