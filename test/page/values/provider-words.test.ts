import { describe, expect, it } from 'vitest'
import { readProviderWords } from '../../../page/values/provider-words.ts'

describe('words for a provider', () => {
  it.each([
    ['jankowski OR', { q: 'jankowski', state: 'OR' }],
    ['Grace Jankowski, Oregon', { q: 'Grace Jankowski', state: 'OR' }],
    ['mercy west virginia', { q: 'mercy', state: 'WV' }],
    ['virginia mason wa', { q: 'virginia mason', state: 'WA' }],
    ['la clinica 97205-1234', { q: 'la clinica', zip: '97205' }],
    ['97205', { zip: '97205' }],
    ['97205 OR', { zip: '97205', state: 'OR' }],
    ['1000100010', { npi: '1000100010' }],
  ])('name the place after the name: %s', (text, expected) => {
    expect(readProviderWords(text)).toEqual(expected)
  })

  it.each([
    ['jankowski', 'Add a state, such as OR, or a ZIP code.'],
    ['OR', 'Write words of a name before the state.'],
    ['1000100010 smith', 'Add a state, such as OR, or a ZIP code.'],
  ])('lack a place or a name: %s', (text, missing) => {
    expect(readProviderWords(text)).toEqual({ missing })
  })
})
