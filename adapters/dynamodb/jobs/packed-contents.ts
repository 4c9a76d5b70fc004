import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { at } from '../../../schema/at.ts'

/**
 * The contents of a job as stored: `ids` has each content once, and `places` has, for each fee schedule, the index of
 * its content in `ids`. Fee schedules often share a content, and the job is read on every poll.
 */
export const packedContents = v.pipe(
  v.object({ ids: v.array(v.string()), places: v.array(v.number()) }),
  v.transform(({ ids, places: positions }): readonly string[] => positions.map((position) => at(ids, position))),
)

/** Returns the stored form of contents. @param contents ids of the contents, one for each fee schedule */
export function packContents(contents: readonly string[]): v.InferInput<typeof packedContents> {
  const ids = [...new Set(contents)]
  const positionOf = new Map(ids.map((id, position) => [id, position]))
  const positionOfContent = (id: string) => {
    const position = positionOf.get(id)
    if (position === undefined) throw new TypeError(`the content ${id} has no position`)
    return position
  }
  return { ids, places: contents.map(positionOfContent) }
}

/** The fee schedules of a search's plan ids, as stored: compressed, because the job is read on every poll. */
export const packedPairs = v.pipe(
  v.instance(Uint8Array),
  v.transform((bytes): unknown => JSON.parse(gunzipSync(bytes).toString())),
  v.array(v.object({ payer: v.string(), plan: v.string() })),
)

export const packPairs = (pairs: readonly FeeSchedule[]) => gzipSync(JSON.stringify(pairs))
