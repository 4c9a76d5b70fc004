import { saveBlob } from '../display/saved-files.ts'

/** Pixels of the picture for each pixel of the plot, so that it is sharp on slides. */
const density = 2

/** Makes a picture of an SVG. */
export async function renderPng(drawing: SVGSVGElement): Promise<Blob> {
  const text = new XMLSerializer().serializeToString(drawing)
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), {
      width: image.naturalWidth * density,
      height: image.naturalHeight * density,
    })
    const context = canvas.getContext('2d')
    if (context === null) throw new TypeError('this browser cannot draw')
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob === null ? reject(new TypeError('the picture is empty')) : resolve(blob)))
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}

/**
 * Copies a picture to the clipboard, or saves it as a file if the browser has no clipboard for pictures or refuses it,
 * as it does outside of HTTPS.
 *
 * @throws the error of the picture if it cannot be drawn
 */
export async function copyPicture(picture: Promise<Blob>, name: string): Promise<'copied' | 'saved'> {
  try {
    // The promise, because Safari allows to copy only while the click is handled.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
    return 'copied'
  } catch {
    saveBlob(name, await picture)
    return 'saved'
  }
}
