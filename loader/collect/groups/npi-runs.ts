import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { at, int32At, uint8At } from '../../../schema/at.ts'

/**
 * Counts distinct NPIs, which may be too many for the memory. They are in a local file as sorted runs, each NPI as its
 * distance from the one before.
 */
export class NpiRuns implements Disposable {
  readonly #path: string
  #file: number | undefined
  readonly #runs: Run[] = []
  #written = 0
  readonly #output = Buffer.allocUnsafe(1 << 16)
  #filled = 0
  #start = 0
  #last = 0

  /** @param folder an empty local folder; the caller removes it */
  constructor(folder: string) {
    this.#path = join(folder, 'npis')
  }

  /** Number of runs. */
  get length(): number {
    return this.#runs.length
  }

  /** Adds an NPI to the current run, in ascending order; 0 is none. */
  add(npi: number): void {
    if (npi === this.#last) return
    if (this.#filled > this.#output.length - longestVarint) this.#flush()
    let distance = npi - this.#last
    this.#last = npi
    for (; distance > 0x7f; distance = Math.floor(distance / 0x80))
      this.#output[this.#filled++] = (distance % 0x80) | 0x80
    this.#output[this.#filled++] = distance
  }

  /** @param isDecided true if the run counts; otherwise `decide` is called later */
  endRun(isDecided: boolean): void {
    this.#flush()
    const file = this.#file
    if (this.#written > this.#start && file !== undefined)
      this.#runs.push({ file, start: this.#start, end: this.#written, isDecided })
    this.#start = this.#written
    this.#last = 0
  }

  /** Decides on the undecided runs: they count, or are dropped. */
  decide(counts: boolean): void {
    for (let index = this.#runs.length - 1; index >= 0; index--) {
      const run = at(this.#runs, index)
      if (run.isDecided) continue
      if (counts) this.#runs[index] = { ...run, isDecided: true }
      else this.#runs.splice(index, 1)
    }
  }

  /** Counts the distinct NPIs of all runs. */
  count(): number {
    if (this.#runs.length === 0) return 0
    const readers = this.#runs.map((run) => new RunReader(run))
    const noted = new Int32Array(windowBits / 32)
    let count = 0
    for (;;) {
      const lowest = readers.reduce((least, { npi }) => Math.min(least, npi), Number.POSITIVE_INFINITY)
      if (lowest === Number.POSITIVE_INFINITY) return count
      const from = Math.floor(lowest / windowBits) * windowBits
      noted.fill(0)
      for (const reader of readers) count += countNew(reader, from, noted)
    }
  }

  [Symbol.dispose](): void {
    if (this.#file === undefined) return
    closeSync(this.#file)
    this.#file = undefined
    rmSync(this.#path)
  }

  #flush(): void {
    if (this.#filled === 0) return
    this.#file ??= openSync(this.#path, 'wx+')
    for (let from = 0; from < this.#filled; )
      from += writeSync(this.#file, this.#output, from, this.#filled - from, this.#written + from)
    this.#written += this.#filled
    this.#filled = 0
  }
}

interface Run {
  readonly file: number
  readonly start: number
  readonly end: number
  readonly isDecided: boolean
}

const longestVarint = 8

/** Notes the NPIs of a run that are in the window. @returns the number of NPIs that no other run had */
function countNew(reader: RunReader, from: number, noted: Int32Array): number {
  let count = 0
  for (; reader.npi < from + windowBits; reader.next()) {
    const position = reader.npi - from
    const bit = 1 << (position & 31)
    const word = int32At(noted, position >>> 5)
    if ((word & bit) !== 0) continue
    noted[position >>> 5] = word | bit
    count++
  }
  return count
}

/** Size of the window of NPIs that are counted at a time, with one bit for each. */
const windowBits = 1 << 23

class RunReader {
  /** Infinity after the last. */
  npi = 0
  readonly #file: number
  readonly #end: number
  #position: number
  readonly #bytes = Buffer.allocUnsafe(1 << 14)
  #at = 0
  #filled = 0

  constructor({ file, start, end }: Run) {
    this.#file = file
    this.#position = start
    this.#end = end
    this.next()
  }

  next(): void {
    if (this.#position === this.#end && this.#at === this.#filled) {
      this.npi = Number.POSITIVE_INFINITY
      return
    }
    let unit = 1
    for (;;) {
      if (this.#at === this.#filled) this.#fill()
      const next = uint8At(this.#bytes, this.#at++)
      this.npi += (next & 0x7f) * unit
      if (next < 0x80) return
      unit *= 0x80
    }
  }

  #fill(): void {
    const length = Math.min(this.#bytes.length, this.#end - this.#position)
    this.#filled = readSync(this.#file, this.#bytes, 0, length, this.#position)
    if (this.#filled === 0) throw new RangeError('a run of NPIs is cut short')
    this.#position += this.#filled
    this.#at = 0
  }
}
