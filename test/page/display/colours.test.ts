import { describe, expect, it } from 'vitest'
import { hueCount } from '../../../page/display/plan-hues.ts'
import { type Colour, contrastOf, distanceOf, readThemes, sights } from './colours.ts'

const themes = readThemes()

/** Least distance in Oklab of two hues: colours beside each other differ from about 0.02 on. */
const leastDistance = 0.08

function find(theme: keyof typeof themes, name: string): Colour {
  const colour = themes[theme].get(name)
  if (colour === undefined) throw new TypeError(`there is no colour --${name}`)
  return colour
}

const hueNames = Array.from({ length: hueCount }, (_, index) => `hue-${index + 1}`)
const modes = ['light', 'dark'] as const

describe.each(modes)('the colours in the %s mode', (mode) => {
  it('include a hue for each plan that gets one', () => {
    expect([...themes[mode].keys()].filter((name) => name.startsWith('hue-'))).toEqual(hueNames)
  })

  it.each([...hueNames, 'soft'])('let --%s be seen on every ground', (name) => {
    for (const ground of ['ground', 'panel', 'accent-soft'])
      expect(contrastOf(find(mode, name), find(mode, ground))).toBeGreaterThanOrEqual(3)
  })

  it.each(['ink', 'soft', 'accent', 'warning', 'highlight', 'wrong'])('let text in --%s be read', (name) => {
    for (const ground of ['ground', 'panel'])
      expect(contrastOf(find(mode, name), find(mode, ground))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(Object.entries(sights))('keep the hues of plans apart for %s', (_, sight) => {
    for (const [index, one] of hueNames.entries())
      for (const other of hueNames.slice(index + 1))
        expect(distanceOf(sight, find(mode, one), find(mode, other))).toBeGreaterThanOrEqual(leastDistance)
  })
})

describe('the contrast of two colours', () => {
  it('reaches 21 for black on white, and 1 for a colour on itself', () => {
    expect(contrastOf([0, 0, 0], [1, 1, 1])).toBeCloseTo(21)
    expect(contrastOf([0.2, 0.3, 0.4], [0.2, 0.3, 0.4])).toBe(1)
  })
})
