import { PrintableError } from '../../schema/printable-error.ts'
import { toOneLine } from '../load-refused.ts'

/** The payer has published another month during a load: its files must not be mixed with those of the month before. */
export class TableOfContentsChanged extends PrintableError {
  override readonly name = 'TableOfContentsChanged'

  constructor(address: string, before: string | undefined, now: string | undefined) {
    const dates = [before, now].map((date) => JSON.stringify(date ?? null).slice(0, 40))
    super(
      `${toOneLine(address)} was published again during the load (last_updated_on ${dates[0]}, now ${dates[1]}): load it again`,
    )
  }
}
