import { at } from '../../schema/at.ts'
import type { CodeName } from './code-names.ts'

/** Maximum length of all names that a query compares, in UTF-16 code units: 100,000 names of 60. */
export const maxLetters = 6_000_000

/** Names of a payer, with the sum of their letters. */
interface PayerNames {
  readonly names: CodeName[]
  letters: number
}

/**
 * Collects the names that fit, so that no payer takes the room of another one: each payer has an equal share, and what
 * some do not need is shared among the others. The first names of a payer are preferred. Room never grows with further
 * payers, so names beyond it are dropped as they come.
 */
export class SharedRoom {
  readonly #payers = new Map<string, PayerNames>()

  add(payerKey: string, names: readonly CodeName[]): void {
    const payer = this.#payers.get(payerKey) ?? { names: [], letters: 0 }
    this.#payers.set(payerKey, payer)
    for (const name of names) {
      payer.names.push(name)
      payer.letters += lettersOf(name)
    }
    const letters = [...this.#payers.values()].reduce((sum, each) => sum + each.letters, 0)
    if (letters > maxLetters) this.#share()
  }

  /** Lists the names of each payer. */
  list(): readonly (readonly CodeName[])[] {
    return [...this.#payers.values()].map(({ names }) => names)
  }

  #share(): void {
    const ascending = [...this.#payers.values()].sort((a, b) => a.letters - b.letters)
    let free = maxLetters
    for (const [index, payer] of ascending.entries()) {
      const share = Math.floor(free / (ascending.length - index))
      while (payer.letters > share) {
        payer.letters -= lettersOf(at(payer.names, payer.names.length - 1))
        payer.names.pop()
      }
      free -= payer.letters
    }
  }
}

const lettersOf = ({ name, code }: CodeName): number => name.length + code.length
