import { hash } from 'node:crypto'

/** Another seed makes another market of the same shape. */
const seed = 'samples-1'

/** Parts of a draw's name: the same parts always draw the same value. */
export type DrawName = readonly (string | number)[]

/**
 * Draws a number that depends on nothing but its name, so that a further code or practice changes no other draw.
 *
 * @returns at least 0 and below 1
 */
export const draw = (...name: DrawName): number =>
  Number.parseInt(hash('sha256', [seed, ...name].join('|')).slice(0, 12), 16) / 2 ** 48

/** Draws one of a list, each as likely as the others. */
export function drawOne<Item>(items: readonly Item[], ...name: DrawName): Item {
  const item = items[Math.floor(draw(...name) * items.length)]
  if (item === undefined) throw new RangeError('nothing can be drawn from an empty list')
  return item
}

/** Draws from the standard normal distribution (Box and Muller). */
export const drawNormal = (...name: DrawName): number =>
  Math.sqrt(-2 * Math.log(1 - draw(...name, 'radius'))) * Math.cos(2 * Math.PI * draw(...name, 'angle'))

/** Draws a factor around 1 whose logarithm is normal, as amounts of contracts are. */
export const drawFactor = (deviation: number, ...name: DrawName): number => Math.exp(deviation * drawNormal(...name))
