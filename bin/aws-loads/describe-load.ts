import { formatTimestamp } from '../../core/job/timestamp.ts'
import type { LoadRecord } from '../../core/loads/load-record.ts'
import { isSilent } from '../../loader/load-watch.ts'

/** The state of a load; `killed` if it runs, but gives no sign of life. */
export function describeState({ state, touchedAt }: Pick<LoadRecord, 'state' | 'touchedAt'>): string {
  const isEnded = state !== 'running' && state !== 'cancelling'
  return isEnded || !isSilent({ touchedAt }, new Date()) ? state : 'killed'
}

/** A load in lines, without a trailing line break. */
export function describeLoad(load: LoadRecord): string {
  const { loadId, from, startedAt, touchedAt, endedAt, reason, counts, leftOut = [] } = load
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['load', loadId],
    ['from', from],
    ['state', describeState(load)],
    ['started', formatTimestamp(startedAt)],
    ['last sign of life', endedAt === undefined ? formatTimestamp(touchedAt) : undefined],
    ['ended', endedAt && formatTimestamp(endedAt)],
    ['reason', reason],
    ['files', counts && `${counts.files} read, ${counts.takenOver} unchanged since an earlier load`],
    [
      'fee schedules',
      counts &&
        `${counts.switched} switched, ${counts.unchanged} unchanged, ${counts.removed} removed, ${counts.leftOut} left out`,
    ],
  ]
  const facts = lines.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
  return [...facts, ...leftOut.map((line) => `left out: ${line}`)].join('\n')
}
