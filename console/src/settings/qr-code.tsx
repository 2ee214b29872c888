/** A QR code, drawn as one path. Black on white in both colour schemes, or no camera reads it. */
import { encode } from 'uqr'

/** Empty modules on each side, without which readers do not find the code. */
const border = 4

export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { border })
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
