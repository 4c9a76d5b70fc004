import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'

/** The contents of a job as stored: each once in `ids`, and there the place of each fee schedule's. */
export const packedContents = v.pipe(
  v.object({ ids: v.array(v.string()), places: v.array(v.number()) }),
  v.transform(({ ids, places }): readonly string[] => places.map((place) => ids[place] ?? '')),
)

/** Fee schedules often share a content, and the job is read on every poll. */
export function packContents(contents: readonly string[]): v.InferInput<typeof packedContents> {
  const ids = [...new Set(contents)]
  const placeOf = new Map(ids.map((id, place) => [id, place]))
  return { ids, places: contents.map((id) => placeOf.get(id) ?? 0) }
}

/** The fee schedules that a search's plan ids led to, as stored: compressed, because the job is read on every poll. */
export const packedPairs = v.pipe(
  v.instance(Uint8Array),
  v.transform((bytes): unknown => JSON.parse(gunzipSync(bytes).toString())),
  v.array(v.object({ payer: v.string(), plan: v.string() })),
)

export const packPairs = (pairs: readonly FeeSchedule[]) => gzipSync(JSON.stringify(pairs))
