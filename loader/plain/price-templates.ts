import { isUtf8 } from 'node:buffer'
import { byte, isAt, odd, passSpace, passValue, short } from '../json/byte-scan.ts'
import { Findings } from '../published/findings.ts'
import type { NegotiatedPrice } from '../published/in-network-file.ts'
import { readNegotiatedPrice } from '../published/in-network-file.ts'
import { PublishedObject } from '../published/published-object.ts'
import { parseText } from './parse-slice.ts'

/** A price that was read the ordinary way: whatever has the same bytes around its rate has the same terms. */
interface Template<Terms> {
  readonly prefix: Buffer
  readonly suffix: Buffer
  readonly terms: Terms
}

/** Recent templates with the same bytes before their rate, the latest first. */
interface Guesses<Terms> {
  readonly prefix: Buffer
  readonly templates: Template<Terms>[]
}

/**
 * Few of a file's prices have other bytes before their rate, and most are like one of the last. Comparing more templates
 * of the same length than `tries` takes as long as looking at each byte.
 */
const maxGuesses = { prefixes: 4, templates: 12, tries: 3 }

/** Templates that are kept. When there are more, all are forgotten. */
const maxTemplates = 20_000

/** Learning takes longer than reading the ordinary way, so a file whose prices are rarely alike is not worth it. */
const minPricesPerTemplate = 4
const freeTemplates = 2000

const rateKey = Buffer.from('"negotiated_rate"')

/**
 * Reads negotiated prices by the bytes around their rate: few of a file's prices differ in anything else. A price with an
 * escape, an exponent, more than four decimals or a nested object is odd, and so is one whose reading counts a finding.
 */
export class PriceTemplates<Terms> {
  /** Of the price that was read last. The rate is a whole number of ten-thousandths. */
  tenThousandths = 0
  terms: Terms | undefined
  readonly #byHash = new Map<number, Template<Terms>>()
  readonly #guesses: Guesses<Terms>[] = []
  readonly #termsOf: (price: NegotiatedPrice) => Terms
  #prices = 0
  #learned = 0
  // Where the price that is being read has its rate, and a hash of its other bytes.
  #rateStart = 0
  #rateEnd = 0
  #hash = 0

  /** @param termsOf gives what prices share that differ only in their rate */
  constructor(termsOf: (price: NegotiatedPrice) => Terms) {
    this.#termsOf = termsOf
  }

  /** Whether prices of this file are alike often enough. */
  get isWorthwhile(): boolean {
    return this.#learned <= freeTemplates || this.#learned * minPricesPerTemplate <= this.#prices
  }

  /** @returns the position after the price, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    const guessed = this.#guess(bytes, start, end)
    if (guessed > 0) return guessed
    const stop = this.#scan(bytes, start, end)
    if (stop < 0) return stop
    const template = this.#byHash.get(this.#hash)
    this.#prices++
    if (
      template !== undefined &&
      bytes.compare(template.prefix, 0, template.prefix.length, start, this.#rateStart) === 0 &&
      bytes.compare(template.suffix, 0, template.suffix.length, this.#rateEnd, stop) === 0
    ) {
      this.#expect(template)
      this.terms = template.terms
    } else if (!this.#learn(bytes, start, stop)) return odd
    return stop
  }

  /**
   * Tries the recent templates, which spares looking at each byte of a price.
   *
   * @returns the position after the price; 0 if it is like none of them, or not all of it is there
   */
  #guess(bytes: Buffer, start: number, end: number): number {
    for (const { prefix, templates } of this.#guesses) {
      const rateStart = start + prefix.length
      if (rateStart >= end || bytes.compare(prefix, 0, prefix.length, start, rateStart) !== 0) continue
      const rateEnd = this.#readRate(bytes, rateStart, end)
      if (rateEnd <= 0) continue
      let tries = 0
      for (const [index, { suffix, terms }] of templates.entries()) {
        const stop = rateEnd + suffix.length
        if (stop > end || bytes[stop - 1] !== byte.braceClose) continue
        if (++tries > maxGuesses.tries) break
        if (bytes.compare(suffix, 0, suffix.length, rateEnd, stop) !== 0) continue
        if (index > 0) templates.splice(0, 0, ...templates.splice(index, 1))
        this.terms = terms
        this.#prices++
        return stop
      }
    }
    return 0
  }

  /** Tries a template first from now on. */
  #expect(template: Template<Terms>): void {
    const known = this.#guesses.find(({ prefix }) => prefix.equals(template.prefix))
    if (known === undefined) this.#guesses.unshift({ prefix: template.prefix, templates: [template] })
    else known.templates.unshift(template)
    if (this.#guesses.length > maxGuesses.prefixes) this.#guesses.pop()
    if (known !== undefined && known.templates.length > maxGuesses.templates) known.templates.pop()
  }

  /** Finds the end of a price and reads its rate. */
  #scan(bytes: Buffer, start: number, end: number): number {
    if (bytes[start] !== byte.braceOpen) return odd
    let hash = 0
    let at = start + 1
    this.#rateStart = 0
    while (at < end) {
      const next = bytes[at] ?? 0
      hash = Math.imul(hash ^ next, 16_777_619)
      at++
      if (next === byte.quote) {
        if (this.#rateStart === 0 && isAt(bytes, at - 1, rateKey)) {
          const after = this.#scanRate(bytes, at - 1 + rateKey.length, end)
          if (after < 0) return after
          if (after > 0) {
            at = after
            hash = Math.imul(hash ^ 1, 16_777_619)
            continue
          }
        }
        let inner = 0
        while (at < end && inner !== byte.quote) {
          inner = bytes[at++] ?? 0
          if (inner === byte.backslash) return odd
          hash = Math.imul(hash ^ inner, 16_777_619)
        }
        if (inner !== byte.quote) return short
      } else if (next === byte.braceClose) {
        this.#hash = hash
        return this.#rateStart === 0 ? odd : at
      } else if (next === byte.braceOpen) return odd
    }
    return short
  }

  /** @returns the position after the rate; 0 if the text before is not the name of a field */
  #scanRate(bytes: Buffer, afterKey: number, end: number): number {
    const colon = passSpace(bytes, afterKey, end)
    if (colon >= end) return short
    if (bytes[colon] !== byte.colon) return 0
    return this.#readRate(bytes, passSpace(bytes, colon + 1, end), end)
  }

  /** Reads the number of a rate. @returns the position after it, `odd` or `short` */
  #readRate(bytes: Buffer, start: number, end: number): number {
    let at = start
    const isNegative = bytes[at] === byte.minus
    if (isNegative) at++
    const firstDigit = at
    let whole = 0
    for (; at < end; at++) {
      const digit = (bytes[at] ?? 0) - byte.zero
      if (digit < 0 || digit > 9) break
      whole = whole * 10 + digit
    }
    const digits = at - firstDigit
    if (digits === 0 || digits > maxDigits || (digits > 1 && bytes[firstDigit] === byte.zero))
      return at < end ? odd : short
    let units = whole * 10_000
    if (bytes[at] === byte.point && at < end) {
      const point = at++
      for (let unit = 1000; at < end; at++, unit /= 10) {
        const digit = (bytes[at] ?? 0) - byte.zero
        if (digit < 0 || digit > 9) break
        if (unit >= 1) units += digit * unit
        else if (digit !== 0) return odd
      }
      if (at === point + 1) return at < end ? odd : short
    }
    if (at >= end) return short
    const next = bytes[at] ?? 0
    if (next !== byte.comma && next !== byte.braceClose && next > 0x20) return odd
    this.#rateStart = start
    this.#rateEnd = at
    this.tenThousandths = isNegative ? -units : units
    return at
  }

  /** Reads a price the ordinary way, and keeps it as a template; false if it is odd. */
  #learn(bytes: Buffer, start: number, stop: number): boolean {
    const terms = this.#readTerms(bytes, start, stop)
    if (terms === undefined) return false
    if (this.#byHash.size >= maxTemplates) this.#byHash.clear()
    const template = {
      prefix: Buffer.from(bytes.subarray(start, this.#rateStart)),
      suffix: Buffer.from(bytes.subarray(this.#rateEnd, stop)),
      terms,
    }
    this.#byHash.set(this.#hash, template)
    this.#expect(template)
    this.#learned++
    this.terms = terms
    return true
  }

  #readTerms(bytes: Buffer, start: number, stop: number): Terms | undefined {
    const text = bytes.subarray(start, stop)
    const parsed = isUtf8(text) ? parseText(text.toString(), true) : undefined
    if (parsed === undefined || countRates(bytes, start, stop) !== 1) return undefined
    const findings = new Findings()
    const price = readNegotiatedPrice(PublishedObject.read(parsed.value, { file: '' }, findings))
    return price === undefined || findings.list().length > 0 ? undefined : this.#termsOf(price)
  }
}

/** Digits before the point of a rate whose ten-thousandths are exact as a float. */
const maxDigits = 11

/** How many fields of a price, which is JSON, are named `negotiated_rate`: the last of several is its rate. */
function countRates(bytes: Buffer, start: number, stop: number): number {
  let count = 0
  let at = passSpace(bytes, start + 1, stop)
  while (bytes[at] === byte.quote) {
    if (isAt(bytes, at, rateKey)) count++
    const colon = passSpace(bytes, passValue(bytes, at, stop), stop)
    const after = passSpace(bytes, passValue(bytes, passSpace(bytes, colon + 1, stop), stop), stop)
    at = bytes[after] === byte.comma ? passSpace(bytes, after + 1, stop) : after
  }
  return count
}
