import { expect, it } from 'vitest'
import { findsAll, keysOf, splitWords } from '../../core/words.ts'

it.each([
  ['blue cross', 'BlueCross BlueShield of Illinois'],
  ['bluecross', 'Blue Cross of Idaho'],
  ['SHIELD ill', 'BlueCross BlueShield of Illinois'],
  ['sao joao', 'Plano São João'],
  ['São', 'Plano Sao Joao'],
  ["o'reilly", 'O’Reilly Auto Parts'],
  ['oreilly', 'O’Reilly Auto Parts'],
  ['u.s. steel', 'US Steel'],
  ['us steel', 'U.S. Steel'],
  ['at&t', 'AT&T Inc.'],
  ['2500', 'Gold PPO 2500/20%'],
  ['保険', '全国保険組合'.replace('保険', ' 保険')],
])('"%s" finds "%s"', (typed, published) => {
  expect(findsAll(splitWords(typed), keysOf(published))).toBe(true)
})

it.each([
  ['glod', 'Gold PPO'],
  ['old', 'Gold PPO'],
  ['gold hmo', 'Gold PPO'],
])('"%s" does not find "%s"', (typed, published) => {
  expect(findsAll(splitWords(typed), keysOf(published))).toBe(false)
})

it('keys of a long name are few and short', () => {
  const keys = keysOf('a '.repeat(100))
  expect(keys).toHaveLength(100)
  expect(Math.max(...keys.map((key) => key.length))).toBe(24)
})
