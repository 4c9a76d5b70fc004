import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { feeScheduleKey } from '../../core/catalogue/fee-schedule.ts'
import type { LoadRequest } from '../publish/load-request.ts'
import { planKey } from './plan-names.ts'
import type { ListedPlan } from './table-of-contents.ts'

/**
 * Who publishes plans, by the host of their table of contents, or of its first file if the table is a local one: names in
 * files prove nothing. Nobody replaces or removes a plan of another publisher unless the operator asks for it.
 */
export class Publishers {
  readonly #request: LoadRequest
  readonly #publisherOf = new Map<string, string>()

  constructor(request: LoadRequest, catalogue: readonly CatalogueEntry[]) {
    this.#request = request
    for (const entry of catalogue)
      if (entry.state.status === 'active' && entry.state.publisher !== undefined)
        this.#publisherOf.set(feeScheduleKey(entry), entry.state.publisher)
  }

  /** Undefined if no host is known. */
  of({ files: [first] }: Pick<ListedPlan, 'files'>): string | undefined {
    return hostOf(this.#request.toc ?? '') ?? hostOf(first?.identity ?? '')
  }

  /** Whether the operator names the payer, or wants to replace whatever there is. */
  get areAsked(): boolean {
    return this.#request.payer !== undefined || this.#request.replace === true
  }

  /** Finds why a plan may not be replaced. What has no publisher may be. */
  findFault(plan: ListedPlan): string | undefined {
    const [before, now] = [this.#publisherOf.get(planKey(plan)), this.of(plan)]
    if (this.areAsked || before === undefined || now === undefined || before === now) return undefined
    return `it was published by ${before}, and now is by ${now}: use --replace if the payer has moved, or give another name with --payer`
  }
}

const hostOf = (address: string) => URL.parse(address)?.host || undefined
