import { describeFault } from '../command/errors.ts'

/** A question about a stage, and its answer. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  /** The facts that were seen, or the reason of a failure. */
  readonly detail: string
}

/** A check that found something wrong. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

/** Runs checks one after the other, and keeps their outcomes. */
export class Checks {
  readonly outcomes: Check[] = []
  readonly #show: (check: Check) => void

  constructor(show: (check: Check) => void) {
    this.#show = show
  }

  get haveFailed(): boolean {
    return this.outcomes.some(({ state }) => state === 'failed')
  }

  /**
   * Runs a check.
   *
   * @param work finds out the value that later checks need, and describes what it saw
   * @returns undefined if the check failed
   */
  async run<Value>(
    name: string,
    work: () => Promise<{ readonly detail: string; readonly value: Value }>,
  ): Promise<Value | undefined> {
    try {
      const { detail, value } = await work()
      this.#add({ name, state: 'ok', detail })
      return value
    } catch (error) {
      const detail = error instanceof CheckFailed ? error.message : describeFault(error)
      this.#add({ name, state: 'failed', detail })
      return undefined
    }
  }

  skip(name: string, reason: string): void {
    this.#add({ name, state: 'skipped', detail: reason })
  }

  warn(name: string, detail: string): void {
    this.#add({ name, state: 'warning', detail })
  }

  #add(check: Check): void {
    this.outcomes.push(check)
    this.#show(check)
  }
}

export const describeCheck = ({ name, state, detail }: Check): string => `${state.padEnd(8)}${name.padEnd(14)}${detail}`
