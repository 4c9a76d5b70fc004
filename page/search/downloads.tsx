import { useState } from 'preact/hooks'
import type { CompletedSearch } from '../../client/api.ts'

/** Number of files listed before the user asks for all. */
const shownFiles = 20

/** Lists the files of a result. A URL grants access, so only the browser's own download follows it. */
export function Downloads({ search: { download_urls: urls, expires_at } }: { readonly search: CompletedSearch }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? urls : urls.slice(0, shownFiles)
  const downloadAll = async () => {
    for (const url of urls) {
      const link = document.createElement('a')
      link.href = url
      link.click()
      // Browsers drop a download that starts while they handle the previous one.
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <p>
        {urls.length === 1 ? 'One Parquet file' : `${urls.length.toLocaleString('en-US')} Parquet files of one schema`}.
        The links work until {new Date(expires_at).toLocaleTimeString()}; this page renews them.
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
            <a href={url} class={urls.length === 1 ? 'button main' : ''}>
              Download {urls.length === 1 ? 'the file' : `file ${index + 1}`}
            </a>
          </li>
        ))}
      </ol>
      {shown.length < urls.length && (
        <button type="button" onClick={() => setWhole(true)}>
          List all {urls.length.toLocaleString('en-US')} files
        </button>
      )}
    </section>
  )
}

/** The part of a URL that does not change with a new signature. */
const nameOf = (url: string) => new URL(url).pathname
