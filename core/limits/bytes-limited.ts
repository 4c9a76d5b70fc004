import { countOf, formatNumber } from '../../schema/phrases.ts'
import { Refusal } from '../errors.ts'
import { formatTimestamp } from '../time.ts'
import { type ByteClaim, endOfDay } from './byte-usage.ts'

/** The key has too few bytes left on this day for a search. */
export class BytesLimited extends Refusal {
  override readonly type = 'rate_limited'
  /** Whole seconds until the limit is whole again. */
  readonly retryAfter: number
  /** @param advice a sentence that says how to read less */
  constructor({ day, bytes }: ByteClaim, facts: { limit: number; used: number; at: Date; advice: string }) {
    const { limit, used, at, advice } = facts
    const reset = endOfDay(day)
    super(
      `This API key's searches may read ${countOf(limit, 'byte')} a day (UTC): those of today read at most ${formatNumber(used)}, and this one would read at most ${formatNumber(bytes)}. ${advice} The limit is whole again at ${formatTimestamp(reset)}.`,
    )
    this.retryAfter = Math.max(Math.ceil((reset.getTime() - at.getTime()) / 1000), 1)
  }
}
