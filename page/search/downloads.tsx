import { useState } from 'preact/hooks'
import type { CompletedSearch } from '../../client/api.ts'
import { formatMoment } from '../display/formats.ts'
import { ProblemBox } from '../service/problem.tsx'

/** Number of files listed before the user asks for all. */
const shownFiles = 20

interface Props {
  readonly search: CompletedSearch
  /** Requests freshly signed URLs. */
  readonly onRenew: () => Promise<CompletedSearch>
}

/** Least validity of a link that is followed, in milliseconds; a link that expires sooner is signed again first. */
const marginMs = 10_000

/** Lists the files of a result. A URL grants access, so only the browser's own download follows it. */
export function Downloads({ search, onRenew }: Props) {
  const { download_urls: urls, expires_at } = search
  const [isWhole, setWhole] = useState(false)
  const [error, setError] = useState<unknown>()
  const shown = isWhole ? urls : urls.slice(0, shownFiles)
  const download = async (places: readonly number[]) => {
    setError(undefined)
    let current = search
    try {
      for (const place of places) {
        // The timer that renews links does not run while a computer sleeps.
        if (isExpiring(current)) current = await onRenew()
        const link = document.createElement('a')
        const url = current.download_urls[place]
        if (url === undefined) throw new RangeError(`the result has no file ${place + 1}`)
        link.href = url
        link.click()
        // Browsers drop a download that starts while they handle the previous one.
        if (places.length > 1) await new Promise((resolve) => setTimeout(resolve, 300))
      }
    } catch (failure) {
      setError(failure)
    }
  }
  const downloadAll = () => download(urls.map((_, index) => index))
  const downloadOne = (event: MouseEvent, place: number) => {
    if (!isExpiring(search)) return
    event.preventDefault()
    download([place])
  }
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <p>
        {urls.length === 1 ? 'One Parquet file' : `${urls.length.toLocaleString('en-US')} Parquet files of one schema`}.
        The links work until {formatMoment(expires_at)}; this page renews them.
      </p>
      <div class="actions">
        {urls.length > 1 && (
          <button type="button" class="main" onClick={downloadAll}>
            Download all {urls.length.toLocaleString('en-US')} files
          </button>
        )}
      </div>
      <ol class="files">
        {shown.map((url, index) => (
          <li key={nameOf(url)}>
            <a href={url} class={urls.length === 1 ? 'button main' : ''} onClick={(event) => downloadOne(event, index)}>
              Download {urls.length === 1 ? 'the file' : `file ${index + 1}`}
            </a>
          </li>
        ))}
      </ol>
      {error !== undefined && <ProblemBox error={error} />}
      {shown.length < urls.length && (
        <button type="button" onClick={() => setWhole(true)}>
          List all {urls.length.toLocaleString('en-US')} files
        </button>
      )}
    </section>
  )
}

const isExpiring = ({ expires_at }: CompletedSearch) => Date.parse(expires_at) - Date.now() < marginMs

/** The part of a URL that does not change with a new signature. */
const nameOf = (url: string) => new URL(url).pathname
