import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { saveBlob, useFileName } from '../display/saved-files.ts'
import { drawPicture, type PictureWords } from './draw-picture.ts'
import { copyPicture, renderPng } from './save-picture.ts'

interface Props {
  readonly figure: RefObject<HTMLElement | null>
  readonly words: PictureWords
}

/** Says how an attempt ended. */
const outcomes = {
  copied: 'The picture is in the clipboard.',
  saved: 'The browser refused its clipboard: the picture is saved as a file.',
  failed: 'This browser cannot draw the picture.',
} as const

/** Copies a plot for a slide, or saves it. */
export function PictureButtons({ figure, words }: Props) {
  const nameFile = useFileName()
  const [outcome, setOutcome] = useState<keyof typeof outcomes>()
  const draw = async () => {
    if (figure.current === null) throw new TypeError('there is no plot')
    return await renderPng(drawPicture(figure.current, words))
  }
  const name = nameFile('plot', 'png')
  const copy = () => copyPicture(draw(), name).then(setOutcome, () => setOutcome('failed'))
  const save = () => {
    setOutcome(undefined)
    draw().then(
      (picture) => saveBlob(name, picture),
      () => setOutcome('failed'),
    )
  }
  return (
    <div class="actions save">
      <button type="button" class="quiet inline" onClick={copy}>
        Copy as picture
      </button>
      <button type="button" class="quiet inline" onClick={save}>
        Save as picture
      </button>
      <span role="status">{outcome && outcomes[outcome]}</span>
    </div>
  )
}
