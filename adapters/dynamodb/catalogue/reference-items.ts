import * as v from 'valibot'
import type { References } from '../../../core/loads/reference.ts'
import { contentsKey } from '../../../schema/tables.ts'
import type { Item } from '../dynamo-client.ts'
import { storedTime } from '../stored-fields.ts'

/** The item with the months of NPPES. They are only read together, so they are one JSON text. */

const reference = {
  referenceId: v.string(),
  month: v.string(),
  rows: v.number(),
  bytes: v.number(),
  rowGroupRows: v.number(),
  loadedAt: storedTime,
}

const referencesJson = v.object({
  version: v.string(),
  active: v.exactOptional(v.object(reference)),
  replaced: v.array(v.object({ ...reference, replacedAt: storedTime })),
})

const referencesItem = v.object({ facts: v.string() })

export const writeReferences = (references: References): Item => {
  return { ...contentsKey.references, version: references.version, facts: JSON.stringify(references) }
}

export const parseReferences = (item: Item): References =>
  v.parse(referencesJson, JSON.parse(v.parse(referencesItem, item).facts))
