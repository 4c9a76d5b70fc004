import { type LoadEnd, type LoadState, signSeconds } from '../../core/loads/load-record.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import type { LoadDeps } from '../publish/load-request.ts'
import {
  describeFeeSchedule,
  describeReasons,
  describeRefused,
  type LoadOutcome,
  type Lost,
  listSome,
  NothingLoaded,
} from './load-report.ts'

/** An operator cancelled the load. */
export class LoadCancelled extends PrintableError {
  constructor(message = 'the load was cancelled; the previous content is still active') {
    super(message)
  }
}

/** Another process has ended the load. */
export class LoadEnded extends PrintableError {
  constructor(state: LoadState) {
    super(`the load has ended meanwhile: it is ${state}`)
  }
}

/** The process was told to end, and the load goes on in another. */
export class LoadInterrupted extends PrintableError {}

export type LoadWatch = ReturnType<typeof watchLoad>

/**
 * Gives the signs of life of one load until it is disposed, and stops its work when an operator has cancelled it, or it
 * has ended.
 *
 * @returns the signal that ends the load's work, and `look`, which gives a sign now and throws if the work is to stop
 */
export function watchLoad(loadId: string, { records, now, repeat, signal: outerSignal }: LoadDeps) {
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, outerSignal].filter((each) => each !== undefined))
  const look = async () => {
    const state = await records.touch(loadId, now())
    if (state === 'cancelling') stopping.abort(new LoadCancelled())
    else if (state !== undefined && state !== 'running') stopping.abort(new LoadEnded(state))
    signal.throwIfAborted()
  }
  // A sign that cannot be given now is given the next time.
  const repeating = repeat?.(signSeconds, () => void look().catch(() => undefined))
  return { loadId, signal, look, [Symbol.dispose]: () => repeating?.stop() }
}

/**
 * Ends the record of a load whose work has failed, unless another process goes on with it or has ended it.
 *
 * @throws the error of the work, or the reason why the work was stopped
 */
export async function endFailed(
  error: unknown,
  { loadId, signal }: Pick<LoadWatch, 'loadId' | 'signal'>,
  { records, now }: Pick<LoadDeps, 'records' | 'now'>,
): Promise<never> {
  // Work that was stopped says so in its own words.
  const reason: unknown = signal.aborted ? signal.reason : error
  if (!(reason instanceof LoadInterrupted || reason instanceof LoadEnded)) {
    // A record that cannot be written must not hide the reason.
    await records.end(loadId, { ...describeFailure(reason), endedAt: now() }).catch(() => undefined)
  }
  throw reason
}

function describeFailure(error: unknown): Omit<LoadEnd, 'endedAt'> {
  if (error instanceof LoadCancelled) return { state: 'cancelled' }
  if (error instanceof NothingLoaded) return { state: 'failed', reason: error.message, ...keepReasons(error) }
  return { state: 'failed', reason: error instanceof PrintableError ? error.message : 'an unexpected error' }
}

/** Maximum length of a reason and of a fee schedule in a record, which is one item of DynamoDB (400 KB). */
const [maxReason, maxName] = [400, 200]

/** Maximum number of refused files, and of changed fee schedules, in a record. */
const maxKept = 200

/** Shortens the reasons for left-out plans and refused files so that they fit in the record of a load. */
function keepReasons({ leftOut, refused }: Lost): Pick<LoadEnd, 'leftOut' | 'refused'> {
  return {
    ...(leftOut.length > 0 && { leftOut: cut(listSome(describeReasons(leftOut)), maxReason) }),
    ...(refused.length > 0 && { refused: cut(describeRefused(refused.slice(0, maxKept)), maxReason) }),
  }
}

/** Describes a completed load for its record. */
export function describeEnd(outcome: LoadOutcome): Omit<LoadEnd, 'endedAt'> {
  const { files, takenOver, unchanged, removed, leftOut } = outcome
  const switched = outcome.switched.filter(({ variantOf }) => variantOf !== undefined)
  const lines = [
    ...removed.map((feeSchedule) => `removed: ${describeFeeSchedule(feeSchedule)}`),
    ...switched.map((entry) => `switched: ${describeFeeSchedule(entry)}`),
  ]
  const counts = {
    files: files.length,
    takenOver,
    switched: switched.length,
    unchanged,
    removed: removed.length,
    leftOut: leftOut.length,
  }
  const changed = cut(listSome(lines, maxKept), maxName)
  return { state: 'completed', counts, changed, ...keepReasons(outcome) }
}

const cut = (lines: readonly string[], longest: number) =>
  lines.map((line) => line.trim().slice(0, longest).toWellFormed())
