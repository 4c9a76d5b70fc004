import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'

/** The contents of a job as stored. */
export const packedContents = v.object({
  /** Each content once. */
  ids: v.array(v.string()),
  /** The place in `ids` of each fee schedule's content. */
  places: v.array(v.number()),
})

type PackedContents = v.InferOutput<typeof packedContents>

/** Fee schedules often share a content, and the job is read on every poll. */
export function packContents(contents: readonly string[]): PackedContents {
  const ids = [...new Set(contents)]
  const placeOf = new Map(ids.map((id, place) => [id, place]))
  return { ids, places: contents.map((id) => placeOf.get(id) ?? 0) }
}

export function unpackContents({ ids, places }: PackedContents): readonly string[] {
  return places.map((place) => ids[place] ?? '')
}

/** The fee schedules that a search's plan ids led to, as stored: compressed, because the job is read on every poll. */
export const packedPairs = v.pipe(
  v.instance(Uint8Array),
  v.transform((bytes): unknown => JSON.parse(gunzipSync(bytes).toString())),
  v.array(v.object({ payer: v.string(), plan: v.string() })),
)

export const packPairs = (pairs: readonly FeeSchedule[]) => gzipSync(JSON.stringify(pairs))
