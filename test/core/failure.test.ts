import { describe, expect, it } from 'vitest'
import { type FailureWord, failureWords } from '../../contract/failure-words.ts'
import { describeFailure, internalFailure, readFailureWord } from '../../core/failure.ts'

describe('the error of a failed job', () => {
  it('yields its word, and refuses a text that begins with no such word', () => {
    expect(readFailureWord('timeout: It took too long.')).toBe('timeout')
    expect(() => readFailureWord('bored: It gave up.')).toThrow(
      new TypeError('the error of a failed job does not start with a word: bored'),
    )
  })

  it('consists of a failure word, a colon and a sentence', () => {
    expect(describeFailure({ word: 'timeout', sentence: 'It took too long.' })).toBe('timeout: It took too long.')
  })

  it.each(Object.keys(failureWords))('can start with %s, one word in snake case', (word) => {
    expect(word).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  it('reveals nothing about an unexpected error except what to do', () => {
    const word: FailureWord = 'internal'
    expect(internalFailure.word).toBe(word)
    expect(describeFailure(internalFailure)).toMatch(/^internal: .*Submit it again.*contact support.*\.$/)
  })
})
