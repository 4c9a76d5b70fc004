import { gunzipSync, gzipSync } from 'node:zlib'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { SpecialtiesAdmin } from '../../../core/vocabulary/ports.ts'
import { contentsKey } from '../../../schema/tables.ts'
import { readItems } from '../dynamo-client.ts'
import { tableWrites } from '../table-writes.ts'

const specialtiesItem = v.object({ specialties: v.instance(Uint8Array) })

const specialtiesJson = v.array(v.object({ code: v.string(), name: v.string(), grouping: v.string() }))

/** Stores specialties as one item of the contents table: the whole code set compresses to about 20 KB. */
export function createDynamoSpecialties(client: DynamoDBDocumentClient, table: string): SpecialtiesAdmin {
  return {
    readSpecialties: async () => {
      const [item] = await readItems(client, table, [contentsKey.specialties])
      if (item === undefined) return []
      return v.parse(specialtiesJson, JSON.parse(gunzipSync(v.parse(specialtiesItem, item).specialties).toString()))
    },

    writeSpecialties: async (specialties) => {
      const ordered = specialties.toSorted((a, b) => (a.code < b.code ? -1 : 1))
      await tableWrites(client, table).put({
        ...contentsKey.specialties,
        specialties: gzipSync(JSON.stringify(ordered)),
      })
    },
  }
}
