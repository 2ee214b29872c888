/** A long text, cut where a browser would become slow. */

const shownMost = 100_000

export const JsonText = ({ text, label }: { text: string; label: string }) => (
  <>
    <pre
      aria-label={label}
      role="region"
      className="rounded-md border border-line bg-canvas p-3 font-mono text-xs whitespace-pre-wrap break-all"
    >
      {text.slice(0, shownMost)}
    </pre>
    {text.length > shownMost && (
      <p className="text-sm text-muted">
        The first {shownMost.toLocaleString()} of {text.length.toLocaleString()} characters are
        shown.
      </p>
    )}
  </>
)
