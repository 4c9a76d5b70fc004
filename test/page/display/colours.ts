import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../templates/source-files.ts'

/** A colour in linear light: red, green and blue from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number]

/** Source: sRGB, IEC 61966-2-1. */
const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

function readColour(hex: string): Colour {
  const read = (start: number) => toLinear(Number.parseInt(hex.slice(start, start + 2), 16) / 255)
  return [read(1), read(3), read(5)]
}

/** Reads the colours of the page by their variables, in the light and in the dark mode. */
export function readThemes(): Readonly<Record<'light' | 'dark', ReadonlyMap<string, Colour>>> {
  const css = readFileSync(join(root, 'page/app.css'), 'utf8')
  const [light, dark] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(
    ([, body = '']) =>
      new Map(
        [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, readColour(hex)]),
      ),
  )
  if (light === undefined || dark === undefined) throw new TypeError('the page has not two modes')
  return { light, dark }
}

/** Source: WCAG 2.2, "relative luminance" and "contrast ratio". */
const luminanceOf = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

export function contrastOf(one: Colour, other: Colour): number {
  const luminances = [luminanceOf(one), luminanceOf(other)]
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05)
}

type Matrix = readonly [Colour, Colour, Colour]

const multiply = ([one, two, three]: Matrix, colour: Colour): Colour => [
  multiplyRow(one, colour),
  multiplyRow(two, colour),
  multiplyRow(three, colour),
]

const multiplyRow = ([a, b, c]: Colour, [x, y, z]: Colour) => a * x + b * y + c * z

/** Source: Machado, Oliveira and Fernandes, 2009, severity 1. */
export const sights: Readonly<Record<string, Matrix>> = {
  'full sight': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const clamp = (value: number) => Math.max(0, Math.min(1, value))

/** Source: Ottosson, "A perceptual color space for image processing", 2020. */
function toOklab(colour: Colour): Colour {
  const cones = multiply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  )
  return multiply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(cones[0]), Math.cbrt(cones[1]), Math.cbrt(cones[2])],
  )
}

/** Returns the distance of two colours in Oklab, as somebody sees them. */
export function distanceOf(sight: Matrix, one: Colour, other: Colour): number {
  const see = (colour: Colour) => {
    const [red, green, blue] = multiply(sight, colour)
    return toOklab([clamp(red), clamp(green), clamp(blue)])
  }
  const [a, b] = [see(one), see(other)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}
