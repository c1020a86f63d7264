package sim
import ("testing";"math/rand")
func BenchmarkZ(b *testing.B){ d:=make([]byte,1<<20); rand.New(rand.NewSource(1)).Read(d); m:=AppendData(nil,d); b.SetBytes(1<<20); b.Run("parse",func(b *testing.B){b.SetBytes(1<<20);for i:=0;i<b.N;i++{ if _,err:=ParseData(m);err!=nil{b.Fatal(err)}}}); b.Run("append",func(b *testing.B){b.SetBytes(1<<20);for i:=0;i<b.N;i++{ m=AppendData(m[:0],d)}})}
